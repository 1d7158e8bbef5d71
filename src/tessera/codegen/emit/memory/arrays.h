/// Arrays: local and shared arrays, and elements of one array or another.
#pragma once

#include <optional>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

class Arrays : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct ChosenKind {
    bool is_store, of_array;
    DType type;
    friend bool operator==(const ChosenKind&, const ChosenKind&) = default;
  };
  struct ChosenElement {
    llvm::Value* base = nullptr;
    std::vector<llvm::Value*> indices{}, strides{};
    Parts stored{};
    bool is_parallel = false;  // lanes access different elements
  };

  void make_arrays();
  Parts array_address(uint32_t array, ir::Value index);
  void emit_array_access(ir::Value v);
  bool emit_chosen(ir::Value v);
  llvm::Value* array_start(uint32_t array);
  /// The next array's memory, where the caller has it.
  void add(llvm::Value* array) { arrays_.push_back(array); }

 private:
  llvm::Value* dynamic_array();
  std::optional<ChosenKind> chosen_kind(ir::Value v) const;
  ChosenElement chosen_element(const ir::Region& side);
  ChosenElement choose_element(ir::Value branch);
  llvm::Value* address_of(const ChosenElement& element);

  std::vector<llvm::Value*> arrays_;
  llvm::Value* dynamic_ = nullptr;  // the block's dynamic shared memory
};

}  // namespace tessera::codegen
