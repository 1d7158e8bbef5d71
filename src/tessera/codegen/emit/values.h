/// Values: what the kernel's instructions have computed, and the instructions that only compute.
#pragma once

#include <unordered_map>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

class Values : public EmitterPart {
 public:
  explicit Values(Emitter& emitter) : EmitterPart(emitter), values_(kernel_.instructions.size()) {}

  /// Any instruction: each subject's by its part of the emitter.
  void emit_instruction(ir::Value v);
  void emit_region(ir::RegionId region);
  /// One that only computes.
  Parts emit_pure(ir::Value v);

  Parts get(ir::Value v);
  void set(ir::Value v, Parts parts) { values_[v] = parts; }
  void set_result(ir::Value control, size_t k, Parts value);
  const std::vector<Parts>& all() const { return values_; }
  void restore(const std::vector<Parts>& values) { values_ = values; }

  /// The load has this value, which was loaded earlier, until it is taken back.
  void give(ir::Value load, Parts value) { given_[load] = value; }
  void give_all(std::unordered_map<ir::Value, Parts> values) { given_ = std::move(values); }
  void take_back(ir::Value load) { given_.erase(load); }
  void take_all_back() { given_.clear(); }
  const Parts* given(ir::Value load) const {
    const auto found = given_.find(load);
    return found == given_.end() ? nullptr : &found->second;
  }

 private:
  void loosen(ir::Value v, llvm::Value* value);

  // root.cpp: branch-free square roots of float32.
  bool is_quick_root(ir::Value v) const;
  llvm::Value* emit_quick_root(llvm::Value* x);
  llvm::Value* emit_reciprocal_guess(llvm::Value* x);

  std::vector<Parts> values_;
  std::unordered_map<ir::Value, std::vector<Parts>> results_;
  std::unordered_map<ir::Value, Parts> given_;
};

}  // namespace tessera::codegen
