/// rewrite_for_device: final rewrites of device code where the NVPTX back end would generate longer code.
#pragma once

namespace llvm {
class Module;
}

namespace tessera::codegen {

/// - The sign of a double is changed by bit operations on one word, not by arithmetic and selects.
/// - Doubles whose lower half is not 0 are loaded from constant memory: as immediates, the device builds each one with
/// two moves before every use.
void rewrite_for_device(llvm::Module& module);

}  // namespace tessera::codegen
