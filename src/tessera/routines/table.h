/// Table: all routines, each descriptor beside its implementations.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tessera/ops/routine.h"
#include "tessera/routines/calls.h"
#include "tessera/routines/parts.h"

namespace tessera::routines {

/// A routine and how it is computed. The results of all implementations have the same bits unless the descriptor says
/// otherwise.
struct Entry {
  ops::Routine routine;
  void (*on_host)(HostCall& call) = nullptr;
  /// Null: always on the host. May throw NoDeviceCode, library::LibraryMissing or OutOfMemory; the host then runs it.
  void (*on_device)(DeviceCall& call) = nullptr;
  /// Whether the device's implementation computes this call; null: all calls.
  bool (*suits_device)(const ops::CallView& call) = nullptr;
  /// The dtype to which an operand is converted before the call is recorded; null: all dtypes are taken as they are.
  /// Host implementations take both: small calls that run at once get the operands as they are.
  DType (*operand_dtype)(const ops::CallView& call, int operand) = nullptr;
  /// The floating-point events of a call that the host ran, of those that are watched; null: none.
  uint32_t (*events)(const CallBase& call, uint32_t watched) = nullptr;
  std::string_view events_name = {};  // as NumPy's warnings name the operation; empty: the routine's name
  /// The number of results where it depends on the operands, else null.
  int (*count_results)(const ops::CallView& call) = nullptr;
  /// How places that have parts of the operands compute the call; nothing, or null: one place gets all of them.
  std::optional<Parts> (*in_parts)(const ops::CallView& call) = nullptr;
  /// With `words_on_host`: makes the words and arguments those of a call for numbers [begin, end) of the first result,
  /// as one row, so that places make parts of it; for what comes after all numbers, of none. False, with the words as
  /// they were, where those depend on the numbers before.
  bool (*take_numbers)(std::span<uint64_t> words, ops::Arguments& arguments, int64_t begin, int64_t end) = nullptr;
  /// So many operands, from the first on, may have any strides.
  int takes_views = 0;
  static constexpr int all_operands = 1 << 16;
  /// The operands, and all results but the first, are a few words, which are in host memory wherever the call runs: it
  /// is placed as one without operands.
  bool words_on_host = false;
};

class Table {
 public:
  /// The table of all routines, built once; more may be added.
  static Table& standard();

  const Entry& add(Entry entry);
  /// Throws ValueError for an unknown name.
  const Entry& operator[](std::string_view name) const;
  const Entry& of(const ops::Routine& routine) const { return entries_[routine.id]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::deque<Entry> entries_;
  std::unordered_map<std::string_view, const Entry*> by_name_;
};

}  // namespace tessera::routines
