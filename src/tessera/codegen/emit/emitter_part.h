/// EmitterPart: what all parts of the emitter share, the kernel and the function that is written of it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "tessera/codegen/compiler.h"
#include "tessera/codegen/emit/primitives/llvm_types.h"
#include "tessera/codegen/emit/primitives/machine.h"
#include "tessera/codegen/emit/primitives/math_library.h"
#include "tessera/codegen/target/device_code.h"
#include "tessera/ir/kernel.h"
#include "tessera/lanes/schedule/dependence.h"

namespace tessera::codegen {

using namespace lanes;
using device::GridNumber;

class Emitter;

/// A kernel, and where in it the code being written is.
struct Writing {
  const ir::Kernel& kernel;
  llvm::Module& module;
  llvm::LLVMContext& context;
  MathLibrary& math;
  Machine machine;
  DeviceMapping mapping;
  Dependence dependence;
  llvm::IRBuilder<> b;
  llvm::Type* word;  // i64
  llvm::Function* function = nullptr;
  bool is_callable = false;  // a device function, whose parameters and results are on the stack
  bool is_called = false;    // one of the kernel's own functions
  bool in_epilogue = false;  // in one block, after the other blocks of its launch
  bool rolls_loops = false;  // loops are not unrolled, which keeps the code short
  bool watches = false;      // on a device: lanes only detect events, and are computed again when one was detected
  bool in_lane = false;
  llvm::Value* leader = nullptr;  // where several threads compute one lane: whether this thread stores it
  std::vector<llvm::Value*> axis_index;
  struct Strip {
    llvm::Value *begin = nullptr, *end = nullptr, *lane = nullptr;
    llvm::Value* size = nullptr;  // lanes a slot can hold
  } strip;                        // of the innermost axis

  Writing(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine);
};

/// Buffers are numbered; this stands for memory that is none.
inline constexpr int no_buffer = -1;

/// Positions in ir::KernelArguments.
enum ArgumentField : int {
  field_buffers,
  field_strides,
  field_dimensions,
  field_scalars,
  field_extents,
  field_flags,
  field_shared_bytes,  // the number itself
  field_host,          // the function
  field_host_context,
  field_arena,
  field_wait,  // the function
};

/// A part asks others by way of the emitter.
class EmitterPart {
 public:
  explicit EmitterPart(Emitter& emitter);
  EmitterPart(const EmitterPart&) = delete;
  EmitterPart& operator=(const EmitterPart&) = delete;

 protected:
  Parts get(ir::Value v);
  llvm::Value* get_one(ir::Value v) { return get(v).first; }
  void set(ir::Value v, Parts parts);
  DType type_of(ir::Value v) const { return kernel_.instructions[v].type; }

  Emitter& e_;
  Writing& w_;
  llvm::IRBuilder<>& b_;
  const ir::Kernel& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  MathLibrary& math_;
  Machine& machine_;
  DeviceMapping& mapping_;
  Dependence& dependence_;
  llvm::Function*& function_;
  llvm::Type* const word_;
};

}  // namespace tessera::codegen
