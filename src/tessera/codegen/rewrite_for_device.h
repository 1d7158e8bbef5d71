/// rewrite_for_device: the last changes to device code, where the target would write something longer.
#pragma once

namespace llvm {
class Module;
}

namespace tessera::codegen {

/// - Signs of doubles change by a word's bits, not by arithmetic and selections.
/// - Doubles whose lower halves are not 0 become loads from constant memory: as immediates the device would build each
///   from two moves before every use.
void rewrite_for_device(llvm::Module& module);

}  // namespace tessera::codegen
