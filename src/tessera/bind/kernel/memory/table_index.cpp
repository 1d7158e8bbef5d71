#include "tessera/bind/kernel/memory/table_index.h"

#include <algorithm>
#include <bit>

#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/kernel/values/table/table.h"

namespace tessera::bind {

int64_t index_size(int64_t entries) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(kernel::least_index, 2 * entries))));
}

void fill_index(int64_t* header, int64_t* index, int64_t size, int64_t each) {
  const int64_t *data = words_at(header[entries_word]), mask = size - 1, used = header[used_word];
  for (int64_t k = 0; k < used; ++k) {
    constexpr int64_t ahead = 16;  // entries, whose places in the index are in other lines of caches
    if (k + ahead < used) __builtin_prefetch(index + (data[(k + ahead) * each] & mask), 1);
    const int64_t hash = data[k * each];
    int64_t place = hash & mask, rest = hash;
    while (index[place] != 0) {
      rest >>= 5;
      place = static_cast<int64_t>(static_cast<uint64_t>(place) * 5 + static_cast<uint64_t>(rest) + 1) & mask;
    }
    index[place] = (hash & INT32_MAX) << 32 | (k + 1);
  }
  header[kernel::index_word] = address_of(index);
  header[kernel::mask_word] = mask;
  header[kernel::live_word] = header[kernel::filled_word] = used;
}

}  // namespace tessera::bind
