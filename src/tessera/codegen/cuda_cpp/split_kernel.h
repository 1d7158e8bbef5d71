/// SplitKernel: a kernel's function cut at its meetings into regions, which threads run one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

/// The names of what the headers declare and the code here replaces.
inline constexpr const char* meet_symbol = "__tessera_meet";
/// The metadata of a meeting with its place in the source, where the kernel is checked.
inline constexpr const char* place_metadata = "tessera.place";

/// A value that outlives a meeting: a variable of the function's, and where it is kept meanwhile.
struct Slot {
  llvm::AllocaInst* variable;
  int64_t offset = 0;       // for one thread: thread t's is at offset * threads + t * size
  bool is_uniform = false;  // one for all threads of the block
  bool is_array = false;    // used in place
};

struct Region {
  llvm::BasicBlock* entry;
  Meeting before;
  std::string place{};                          // of that meeting in the source, where the kernel is checked
  std::vector<llvm::BasicBlock*> blocks{};      // that a thread may run until the next meeting
  llvm::DenseSet<llvm::AllocaInst*> live_in{};  // slots whose values are needed
  bool ends_together = false;                   // all threads that are in it come to the same meeting, or end
};

struct SplitKernel {
  llvm::Function* function;
  std::vector<Region> regions;
  std::vector<Slot> slots;
  int64_t thread_bytes = 0, uniform_bytes = 0;

  /// The region after the meeting at this block's end; -1 where it ends otherwise.
  int after(const llvm::BasicBlock& block) const;
};

/// Changes the function: values that outlive meetings become loads and stores of slots. All functions that meet have
/// been inlined.
SplitKernel split_kernel(llvm::Function& function, bool is_checked);

/// The meeting that a call is; null for other instructions.
llvm::CallInst* as_meeting(llvm::Instruction& instruction);

}  // namespace tessera::codegen::cuda_cpp
