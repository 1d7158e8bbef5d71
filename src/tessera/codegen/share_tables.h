/// share_tables: a device kernel's tables of coefficients, which each lane reads at its own places, in shared memory.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace tessera::codegen {

/// The block's threads copy the tables as the kernel begins. Global memory serves few threads of a warp at a time where
/// they read different places; shared memory serves sixteen, as a row of a table has one number in each pair of banks.
///
/// `threads` is the most threads of a block, or 0 if unknown. Blocks of few threads would spend their time copying.
void share_tables(llvm::Module& module, llvm::Function& kernel, int threads);

}  // namespace tessera::codegen
