/// Parts: how places that each have a part of a call's operands compute it together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tessera/base/small_vector.h"
#include "tessera/layout/cut_rows.h"
#include "tessera/layout/view.h"

namespace tessera::routines {

/// Of an array along an axis, a slab is all that has one index there.
struct Parts {
  static constexpr int whole = -1;

  /// Of each operand the axis along which places take slabs of it, of which all those operands have equally many; or
  /// `whole`, where every place needs all of it.
  SmallVector<int, 4> axes{};
  /// So many slabs are computed by one call, whoever has them, where the bits depend on their number; 0: any number.
  int64_t slabs_a_call = 0;
  int64_t together = 1;  // places begin at multiples of so many slabs
  /// Places go on from those before: each first makes totals, of so many bytes for this many slabs, and gets those of
  /// all slabs before its own; 0: each by itself.
  int64_t total_nbytes = 0, slabs_a_total = 1;
  /// A call makes, of its slabs, the same slabs of the results along their first axis; or, with `is_sum`, numbers of
  /// the results' shape, of which the sum over all calls is the result.
  bool is_sum = false;
  bool follows =
      false;  // a place's results follow from the last slab of those of the place before, one after the other
  /// Parts make so many partial results, which one place joins; 0: results. Each has `planes` rows, of which those of
  /// all parts stand one behind the other.
  int partials = 0;
  int64_t planes = 1;
  int64_t made = 1;             // slabs of the results for each of the operands
  bool may_fail_apart = false;  // what is an error may be at one place alone: on ranks, all have all operands then
  /// How an operand that all places need may be brought in panels along one of its axes: calls with one panel after the
  /// other make terms of the results, along an axis of another operand, too, or columns of the results.
  struct Panels {
    int operand = -1, axis = 0;         // -1: only as a whole
    int other = -1, axis_of_other = 0;  // -1: columns
    bool make_terms() const { return other >= 0; }
  };
  Panels panels{};
  bool counts_slabs = false;  // the first result's numbers count slabs: where a place's begin is added to its own
};

/// How many slabs one call of a vendor's library takes, `least` or more: some sixteen calls, by the extent alone. Eight
/// of them end about where the first of two places does, and so need nothing of the other.
inline int64_t slabs_a_call(int64_t extent, int64_t least = 64) {
  constexpr int64_t calls_of_half = 8;
  return std::max(least, (first_row(extent, 1, 2) + calls_of_half - 1) / calls_of_half);
}

/// Each row of the only operand, along its first axis, by itself.
inline std::optional<Parts> by_rows_if(bool are_apart) {
  return are_apart ? std::optional(Parts{.axes = {0}}) : std::nullopt;
}

}  // namespace tessera::routines
