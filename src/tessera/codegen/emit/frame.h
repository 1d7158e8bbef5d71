/// Frame: the function around a kernel's code: its parameters, the levels at which values are computed, and memory.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

class Frame : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  void open_function(llvm::Function* function);
  void open_level();
  /// Where code of a level is inserted; null for the current position.
  llvm::Instruction* hoist_point(int level) const;
  llvm::Value* at_level(int level, const std::function<llvm::Value*()>& emit);
  /// Before the lane loop being written; null outside.
  llvm::Instruction* row_point() const { return row_point_; }
  void set_row_point(llvm::Instruction* point) { row_point_ = point; }
  /// What follows comes from the mark's line.
  void emit_line(ir::Value mark);

  llvm::Value* argument_field(int field);
  llvm::Value* argument_word(int field, llvm::Type* type, int64_t offset, const char* name);
  llvm::Value* extent(int axis);
  Parts scalar(uint32_t param);

  llvm::Value* stack_array(llvm::Type* type, llvm::Value* count, const char* name);
  /// Of a block whose lanes keep much: arrays from here on are not on the stack, until they are given back.
  void use_heap(bool uses) { uses_heap_ = uses; }
  void give_memory_back();

  // device_frame.cpp
  /// Pointers to data on the device are in the global address space.
  llvm::PointerType* data_pointer();
  llvm::Value* device_zero();
  llvm::Value* special_register(GridNumber number);
  /// Threads of a block along the lanes.
  llvm::Value* row_threads();
  /// A step that is known to be positive, as those from the grid are: its loops do not test its sign.
  llvm::Value* mark_positive(llvm::Value* step);
  bool is_positive(llvm::Value* step) const { return positive_steps_.contains(step); }
  llvm::Value* shared_array(llvm::Type* type, int64_t size);
  llvm::Value* device_dynamic_array();

 private:
  llvm::Value* device_field(int field);

  std::vector<llvm::Instruction*> hoist_points_;  // by level, up to that of the row
  llvm::Instruction* row_point_ = nullptr;
  std::unordered_map<uint64_t, llvm::Value*> argument_words_;
  std::unordered_set<llvm::Value*> positive_steps_;
  llvm::DICompileUnit* unit_ = nullptr;  // of the lines of a kernel that has marks
  bool uses_heap_ = false;
  int64_t heap_arrays_ = 0;
};

}  // namespace tessera::codegen
