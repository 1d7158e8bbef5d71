#include "tessera/bind/kernel/host/host_tables.h"

#include <algorithm>
#include <cstring>

#include "tessera/bind/kernel/host/host_calls.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/table_index.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/values/table/table.h"

namespace tessera::bind {

using kernel::HostTable;

namespace {

/// Takes deleted entries out.
void compact(int64_t* header, int64_t each) {
  int64_t* data = words_at(header[entries_word]);
  int64_t kept = 0;
  for (int64_t k = 0; k < header[used_word]; ++k) {
    if (data[k * each] < 0) continue;
    if (kept != k) std::memmove(data + kept * each, data + k * each, static_cast<size_t>(each) * sizeof(int64_t));
    ++kept;
  }
  header[used_word] = kept;
}

/// Of an index, which holds no addresses.
int64_t* zeros(HostCalls& calls, int64_t count) { return calls.heap().words.take(count, true, true); }

void rebuild(HostCalls& calls, int64_t* header, int64_t each) {
  if (header[kernel::live_word] != header[used_word]) compact(header, each);
  const int64_t size = index_size(header[used_word] + 1);
  if (size != header[kernel::mask_word] + 1) return fill_index(header, zeros(calls, size), size, each);
  int64_t* index = words_at(header[kernel::index_word]);
  std::memset(index, 0, static_cast<size_t>(size) * sizeof(int64_t));
  fill_index(header, index, size, each);
}

int64_t copy(HostCalls& calls, const int64_t* header, int64_t each, bool is_leaf) {
  const int64_t used = header[used_word], room = std::max(used, least_entries);
  int64_t* made = calls.heap().words.take(kernel::table_words, true, false);
  int64_t* data = calls.heap().words.take(room * each, false, is_leaf);
  std::memcpy(data, words_at(header[entries_word]), static_cast<size_t>(used * each) * sizeof(int64_t));
  made[entries_word] = address_of(data);
  made[used_word] = used;
  made[capacity_word] = room;
  made[kernel::live_word] = header[kernel::live_word];
  const int64_t size = header[kernel::mask_word] + 1;
  if (header[kernel::filled_word] != used || used > header[kernel::live_word])
    return rebuild(calls, made, each), address_of(made);
  int64_t* index = calls.heap().words.take(size, false, true);
  std::memcpy(index, words_at(header[kernel::index_word]), static_cast<size_t>(size) * sizeof(int64_t));
  made[kernel::index_word] = address_of(index);
  made[kernel::mask_word] = size - 1;
  made[kernel::filled_word] = used;
  return address_of(made);
}

void clear(HostCalls& calls, int64_t* header) {
  header[used_word] = header[kernel::live_word] = header[kernel::filled_word] = 0;
  if (header[kernel::mask_word] + 1 == kernel::least_index) {
    std::memset(words_at(header[kernel::index_word]), 0, kernel::least_index * sizeof(int64_t));
  } else {
    header[kernel::index_word] = address_of(zeros(calls, kernel::least_index));
    header[kernel::mask_word] = kernel::least_index - 1;
  }
}

}  // namespace

int64_t ask_table(HostCalls& calls, const int64_t* operands) {
  int64_t* header = words_at(operands[1]);
  switch (static_cast<HostTable>(operands[0])) {
    case HostTable::rebuild: rebuild(calls, header, operands[2]); return 0;
    case HostTable::copy: return copy(calls, header, operands[2], operands[3] != 0);
    case HostTable::clear: clear(calls, header); return 0;
  }
  return 0;
}

}  // namespace tessera::bind
