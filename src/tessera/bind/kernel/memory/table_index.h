/// The index of a dict or a set in memory (kernel/values/table/table.h).
#pragma once

#include <cstdint>

namespace tessera::bind {

/// Words of a header in front of those of the index.
enum TableHeader : int64_t { entries_word, used_word, capacity_word };
constexpr int64_t least_entries = 4;

/// The size of an index in which so many entries take less than half.
int64_t index_size(int64_t entries);
/// Points the index, which is zero, to the entries of a table, which are all there.
void fill_index(int64_t* header, int64_t* index, int64_t size, int64_t each);

}  // namespace tessera::bind
