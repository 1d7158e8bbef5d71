/// AccessChecks: what checked launches compare in place.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

class AccessChecks : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  bool has_quick_check(ir::Value v) const;
  void emit_quick_check(ir::Value v, const std::function<void()>& tell);
  /// What the members read of settled arrays is tested once before their loop.
  void enter_lanes(std::span<const ir::Value> members) { all_are_set_ = all_are_set(members); }

 private:
  llvm::Value* all_are_set(std::span<const ir::Value> members);
  std::optional<int64_t> first_check_cell(uint32_t array) const;
  llvm::Value* check_word(llvm::Type* type, int64_t offset, std::optional<int64_t> inner = {});
  void find_settled(ir::Value v, std::set<uint32_t>& arrays) const;
  bool has_settled_reads(uint32_t array) const;

  std::map<std::pair<int64_t, int64_t>, llvm::Value*> check_words_;
  llvm::Value* all_are_set_ = nullptr;
};

}  // namespace tessera::codegen
