/// Memory: loads and stores of the kernel's buffers.
#pragma once

#include <span>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

/// Bytes of the widest memory access of a device.
inline constexpr int64_t widest_access = 16;

class Memory : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  void emit_load(ir::Value v);
  void emit_store(ir::Value v);
  llvm::Value* as_word(ir::Value index);
  llvm::Value* element_address(uint32_t buffer, std::span<const ir::Value> indices);
  llvm::Value* base_of(uint32_t buffer);
  llvm::Value* stride_of(uint32_t buffer, int axis);
  llvm::Value* dimension(uint32_t buffer, int axis);
  Parts part_addresses(llvm::Value* address, DType dtype);
  Parts load_parts(Parts address, DType dtype, int buffer);
  llvm::Value* emit_is_aligned(ir::Value v);
  void store_parts(Parts address, Parts value, DType dtype, int buffer);
  void mark_access(llvm::Instruction* access, int buffer);
  bool is_constant(size_t buffer) const;
  void emit_atomic(ir::Value v);
  /// What accesses of the function being opened have to do with each other.
  void open();
  llvm::MDNode* access_group() const { return access_group_; }
  /// Around loops whose iterations no memory connects.
  void enter_apart(bool are_apart) { loops_apart_ += are_apart; }
  void leave_apart(bool are_apart) { loops_apart_ -= are_apart; }
  /// Complex operands are aligned so that one access reads both parts.
  void read_whole(bool whole) { reads_whole_ = whole; }
  /// In bytes, of the element being accessed; 0: those of its part.
  void know_alignment(int64_t bytes) { known_alignment_ = bytes; }

 private:
  Parts load_hinted(llvm::Value* address, const ir::Instruction& i);
  void store_hinted(llvm::Value* address, Parts value, const ir::Instruction& i);
  llvm::Align access_alignment(DType dtype) const;
  int64_t divisor_of(ir::Value index) const;
  bool is_zero(ir::Value v) const;
  llvm::Value* emit_float_extreme(ir::AtomicKind kind, llvm::Value* address, llvm::Value* x);

  bool reads_whole_ = false;
  int64_t known_alignment_ = 0;
  llvm::MDNode* access_group_ = nullptr;
  int loops_apart_ = 0;  // around the code being written: loops whose iterations no memory connects
  std::vector<llvm::MDNode*> own_scope_;
  std::vector<llvm::MDNode*> other_scopes_;
};

}  // namespace tessera::codegen
