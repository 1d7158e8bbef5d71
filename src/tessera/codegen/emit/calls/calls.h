/// Calls: of long functions by precompiled loops, of the kernel's own functions, of functions in other code and of the
/// host.
#pragma once

#include <span>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

class Calls : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Strip {
    llvm::Value* address;
    llvm::Value* stride;
  };

  bool is_call(ir::Value v) const;
  void emit_call(const Schedule& schedule, ir::Value v);
  llvm::Value* emit_single_call(ir::Value v);
  llvm::Value* from_word(llvm::Value* word, DType from, DType dtype);
  void emit_host_call(ir::Value v);
  llvm::Value* call_host(uint32_t number, std::span<const ir::Value> operands);
  void emit_functions();
  void emit_function_call(ir::Value v);
  void emit_address(ir::Value v);
  void emit_foreign_call(ir::Value v);

 private:
  Strip strip_of(const Schedule& schedule, ir::Value operand);
  Strip strip_of_load(ir::Value load);
  Strip cell_of(ir::Value v);
  void emit_loop_call(ir::Value v, std::span<const Strip> strips, llvm::Value* count);
  llvm::Function* declare_called(const ir::FunctionDecl& declared);
  void emit_called(llvm::Function* function);

  llvm::Value* call_pointers_ = nullptr;
  llvm::Value* call_strides_ = nullptr;
  std::vector<llvm::Function*> called_;  // by number of the kernel's functions
  /// Room for one number, aligned as other code expects it.
  llvm::Value* stack_place(llvm::Type* type, DType dtype, const char* name);
};

}  // namespace tessera::codegen
