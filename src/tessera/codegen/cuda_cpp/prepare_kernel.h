/// What is done with clang's functions before kernels are cut into regions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace tessera::codegen::cuda_cpp {

/// The address space of shared variables in clang's code.
inline constexpr unsigned shared_space = 3;

struct FoundKernel {
  llvm::Function* function;
  std::string name;
  std::vector<int64_t> parameter_sizes{};
  int64_t most_threads = 1024;
  int64_t shared_bytes = 0;
};

/// The module's kernels, by clang's annotations.
std::vector<FoundKernel> find_kernels(llvm::Module& module);
/// Inlines all functions into those that call them; variables become values where all of their uses are plain.
void inline_functions(llvm::Module& module, const std::vector<FoundKernel>& kernels, llvm::TargetMachine& machine);
/// Members of variables become values; one address is one value.
void split_variables(llvm::Module& module, llvm::TargetMachine& machine);
void simplify_kernels(llvm::Module& module, llvm::TargetMachine& machine);
/// "line 7 of blur.cu": of the user's source, not of the headers that stand for CUDA's.
std::string line_of(const llvm::Instruction& i);
/// Throws NotImplementedError, with the line, for PTX and for functions that only a GPU has.
void refuse_foreign(const llvm::Module& module);
/// The same for functions that were not inlined and use what only a kernel's own code has.
void refuse_called(const llvm::Module& module, const std::vector<FoundKernel>& kernels);
/// Parameters that are passed by value become addresses of values; shared variables become places in the block's shared
/// memory.
void place_parameters(FoundKernel& kernel);
void place_shared(FoundKernel& kernel);
/// A thread ends where an assertion fails.
void end_at_failures(llvm::Function& kernel);

}  // namespace tessera::codegen::cuda_cpp
