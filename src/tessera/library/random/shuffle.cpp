#include "tessera/library/random/shuffle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "tessera/library/random/bounded.h"

namespace tessera::library {

namespace {

template <class Swap>
void swap_down(BitGenerator& bits, int64_t count, int64_t first, Swap&& swap) {
  with_concrete(bits, [&](auto& source) {
    for (int64_t i = count - 1; i >= first; --i)
      swap(i, static_cast<int64_t>(draw_interval(source, static_cast<uint64_t>(i))));
  });
}

template <class Word>
void shuffle_words(BitGenerator& bits, char* data, int64_t count, int64_t stride, int64_t first) {
  swap_down(bits, count, first, [&](int64_t i, int64_t j) {
    Word a, b;
    std::memcpy(&a, data + i * stride, sizeof a);
    std::memcpy(&b, data + j * stride, sizeof b);
    std::memcpy(data + j * stride, &a, sizeof a);
    std::memcpy(data + i * stride, &b, sizeof b);
  });
}

/// The shuffle used by choice, whose bounded draws differ from those of `shuffle`.
void shuffle_numbers(BitGenerator& bits, std::span<int64_t> numbers, int64_t first) {
  for (auto i = static_cast<int64_t>(numbers.size()) - 1; i >= first; --i) {
    const uint64_t j = draw_bounded(bits, static_cast<uint64_t>(i));
    std::swap(numbers[j], numbers[static_cast<size_t>(i)]);
  }
}

/// Floyd's algorithm: for each j among the last numbers, draw a number up to j; if it is already chosen, take j itself.
void choose_by_set(BitGenerator& bits, int64_t population, std::span<int64_t> out) {
  constexpr uint64_t vacant = ~uint64_t{0};
  const auto count = static_cast<int64_t>(out.size());
  const auto wanted = static_cast<uint64_t>(1.2 * static_cast<double>(count));
  const uint64_t mask = wanted ? ~uint64_t{0} >> std::countl_zero(wanted) : 0;
  std::vector<uint64_t> set(static_cast<size_t>(mask + 1), vacant);
  const auto slot_of = [&](uint64_t value) {
    uint64_t slot = value & mask;
    while (set[slot] != vacant && set[slot] != value) slot = (slot + 1) & mask;
    return slot;
  };
  for (int64_t j = population - count; j < population; ++j) {
    auto value = draw_bounded(bits, static_cast<uint64_t>(j));
    uint64_t slot = slot_of(value);
    if (set[slot] == value) {
      value = static_cast<uint64_t>(j);
      slot = slot_of(value);
    }
    set[slot] = value;
    out[static_cast<size_t>(j - population + count)] = static_cast<int64_t>(value);
  }
}

}  // namespace

void shuffle(BitGenerator& bits, char* data, int64_t count, int64_t itemsize, int64_t stride, int64_t first) {
  struct Wide {
    uint64_t words[2];
  };
  switch (itemsize) {
    case 1: return shuffle_words<uint8_t>(bits, data, count, stride, first);
    case 2: return shuffle_words<uint16_t>(bits, data, count, stride, first);
    case 4: return shuffle_words<uint32_t>(bits, data, count, stride, first);
    case 8: return shuffle_words<uint64_t>(bits, data, count, stride, first);
    default: return shuffle_words<Wide>(bits, data, count, stride, first);
  }
}

void shuffled_order(BitGenerator& bits, std::span<int64_t> order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  shuffle(bits, reinterpret_cast<char*>(order.data()), static_cast<int64_t>(order.size()), 8, 8);
}

void choose_distinct(BitGenerator& bits, int64_t population, std::span<int64_t> out, bool shuffled) {
  const auto count = static_cast<int64_t>(out.size());
  const int64_t cutoff = shuffled ? 50 : 20;
  if (population > 10000 && count > population / cutoff) {
    std::vector<int64_t> all(static_cast<size_t>(population));
    std::iota(all.begin(), all.end(), int64_t{0});
    shuffle_numbers(bits, all, std::max<int64_t>(population - count, 1));
    std::copy(all.end() - count, all.end(), out.begin());
    return;
  }
  choose_by_set(bits, population, out);
  if (shuffled) shuffle_numbers(bits, out, 1);
}

}  // namespace tessera::library
