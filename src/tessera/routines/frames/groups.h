/// Rows by their groups: in the order of the groups, and numbered within them.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::routines::frames {

/// Rows in the order of their groups, within a group in their own; group g is rows[starts[g], starts[g + 1]). Rows in
/// no group (a code of -1) are left out. `starts` has a place more than there are groups.
void order_by_group(std::span<const int64_t> codes, std::span<int64_t> starts, std::span<int64_t> rows);

/// Writes how many rows of its group stand before each row, or behind it. Rows in no group get 0.
void number_within_groups(std::span<const int64_t> codes, int64_t groups, bool from_end, std::span<int64_t> numbers);

}  // namespace tessera::routines::frames
