/// Numbers of rows whose keys are mostly distinct: rows are parted by their hashes, so that tables stay in the cache.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/factorize_options.h"
#include "tessera/routines/frames/keys.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// Rows in the order of the high bits of their hashes, and within the same bits in their own. A row whose key is
/// missing is left out.
struct Partitions {
  static constexpr int bits = 8;
  static constexpr int64_t count = int64_t{1} << bits;
  struct Item {
    uint64_t hash;
    int64_t row;
  };
  Buffer<Item> items;
  std::vector<int64_t> begins = std::vector<int64_t>(count + 1);

  int64_t largest() const {
    int64_t result = 0;
    for (int64_t part = 0; part < count; ++part) result = std::max(result, begins[part + 1] - begins[part]);
    return result;
  }
};

template <class Keys>
Partitions partition(const Keys& keys, bool nullable) {
  const int64_t n = keys.size(), chunk = 1 << 16, chunks = (n + chunk - 1) / chunk;
  const auto part_of = [](uint64_t hash) { return hash >> (64 - Partitions::bits); };
  std::vector<int64_t> places(chunks * Partitions::count);
  auto count = [&](int64_t from, int64_t to) {
    for (int64_t c = from; c < to; ++c)
      for (int64_t row = c * chunk; row < std::min(n, (c + 1) * chunk); ++row)
        if (!nullable || !keys.is_null(row)) ++places[c * Partitions::count + part_of(keys.hash_of(keys.image(row)))];
  };
  runtime::parallel_for(chunks, 1, count);
  Partitions result;
  int64_t total = 0;
  for (int64_t part = 0; part < Partitions::count; ++part) {
    result.begins[part] = total;
    for (int64_t c = 0; c < chunks; ++c) {
      const int64_t rows = places[c * Partitions::count + part];
      places[c * Partitions::count + part] = total;
      total += rows;
    }
  }
  result.begins[Partitions::count] = total;
  result.items = Buffer<Partitions::Item>(total);
  auto place = [&](int64_t from, int64_t to) {
    for (int64_t c = from; c < to; ++c)
      for (int64_t row = c * chunk; row < std::min(n, (c + 1) * chunk); ++row) {
        if (nullable && keys.is_null(row)) continue;
        const uint64_t hash = keys.hash_of(keys.image(row));
        result.items[places[c * Partitions::count + part_of(hash)]++] = {hash, row};
      }
  };
  runtime::parallel_for(chunks, 1, place);
  return result;
}

/// Where owners[row] is the first row with the key of `row` (-1: none), numbers the first rows in their order, writes
/// each row's number in the owner's place, and returns the first rows.
template <class Code>
Rows number_owners(std::span<Code> owners) {
  const int64_t n = static_cast<int64_t>(owners.size()), block = 1 << 16, blocks = (n + block - 1) / block;
  std::vector<int64_t> begins(blocks + 1, 0);
  const auto over_blocks = [&](auto&& each) {
    auto body = [&](int64_t from, int64_t to) {
      for (int64_t b = from; b < to; ++b)
        for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row) each(b, row);
    };
    runtime::parallel_for(blocks, 1, body);
  };
  over_blocks([&](int64_t b, int64_t row) { begins[b + 1] += owners[row] == row; });
  for (int64_t b = 0; b < blocks; ++b) begins[b + 1] += begins[b];
  Rows first(begins[blocks]);
  // Numbers of first rows are kept as -2 - number until all others have read them.
  over_blocks([&](int64_t b, int64_t row) {
    if (owners[row] != row) return;
    const int64_t number = begins[b]++;
    first[number] = row;
    owners[row] = static_cast<Code>(-2 - number);
  });
  over_blocks([&](int64_t, int64_t row) {
    if (owners[row] >= 0) owners[row] = -2 - owners[owners[row]];
  });
  auto settle = [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; ++at) owners[first[at]] = static_cast<Code>(at);
  };
  runtime::parallel_for(static_cast<int64_t>(first.size()), 1 << 15, settle);
  return first;
}

/// The first row with each hash, of the rows of one part.
class OwnerTable {
 public:
  explicit OwnerTable(int64_t rows) : slots_(std::bit_ceil(static_cast<uint64_t>(2 * rows + 1)), Partitions::Item{}) {}
  void clear() { std::ranges::fill(slots_, Partitions::Item{0, -1}); }
  int64_t owner_of(Partitions::Item item) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = item.hash & mask;; at = (at + 1) & mask) {
      Partitions::Item& slot = slots_[at];
      if (slot.row < 0) slot = item;
      if (slot.hash == item.hash) return slot.row;
    }
  }

 private:
  PooledVector<Partitions::Item> slots_;
};

/// Whether keys with equal hashes are equal, as they are but for texts that were made to meet.
template <class Keys, class Code>
bool hashes_are_exact(const Keys& keys, std::span<Code> owners) {
  if constexpr (std::is_base_of_v<NumberImages, Keys>) return true;  // mixed() is a bijection
  std::atomic<bool> exact = true;
  auto compare = [&](int64_t from, int64_t to) {
    bool same = true;
    for (int64_t row = from; row < to; ++row)
      if (owners[row] >= 0 && owners[row] != row) same &= keys.match(keys.image(owners[row]), keys.image(row));
    if (!same) exact = false;
  };
  runtime::parallel_for(keys.size(), 1 << 14, compare);
  return exact;
}

/// For many distinct keys: rows are parted by their hashes, so that each part's table stays in the cache. Writes the
/// first row with each row's key, or -1.
template <class Keys, class Code>
void find_owners(const Keys& keys, const FactorizeOptions& options, std::span<Code> owners) {
  const Partitions parts = partition(keys, options.nullable);
  auto own = [&](int64_t from, int64_t to) {
    OwnerTable table(parts.largest());
    for (int64_t part = from; part < to; ++part) {
      table.clear();
      for (int64_t at = parts.begins[part]; at < parts.begins[part + 1]; ++at)
        owners[parts.items[at].row] = static_cast<Code>(table.owner_of(parts.items[at]));
    }
  };
  runtime::parallel_for(Partitions::count, 16, own);
  if (!options.nullable) return;
  Code owner = -1;
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (!keys.is_null(row)) continue;
    if (owner < 0 && options.keep_null) owner = static_cast<Code>(row);
    owners[row] = owner;
  }
}

}  // namespace tessera::routines::frames
