#include "tessera/routines/frames/factorize.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

uint64_t mixed(uint64_t word) {
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93u;
  word ^= word >> 32;
  return word;
}

/// A table for words that are all within a short range.
class DenseTable {
 public:
  DenseTable(uint64_t least, uint64_t range) : least_(least), codes_(range + 1, -1) {}
  /// The code of the word, which is `next` if the word is new.
  int64_t find_or_insert(uint64_t word, int64_t, int64_t next) {
    int32_t& code = codes_[word - least_];
    if (code < 0) code = static_cast<int32_t>(next);
    return code;
  }

 private:
  uint64_t least_;
  std::vector<int32_t> codes_;
};

/// An open table by hash. Keys have hash(row) and, unless hashes are equal only for equal keys, same(row, row).
template <class Keys>
class HashTable {
 public:
  explicit HashTable(const Keys& keys) : keys_(keys), slots_(1 << 12) {}
  int64_t find_or_insert(uint64_t hash, int64_t row, int64_t next) {
    if (2 * static_cast<size_t>(next) >= slots_.size()) grow();
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.code < 0) {
        slot.hash = hash;
        slot.code = next;
        if constexpr (!Keys::hash_is_exact) slot.row = row;
        return next;
      }
      if (slot.hash != hash) continue;
      if constexpr (Keys::hash_is_exact) return slot.code;
      if constexpr (!Keys::hash_is_exact)
        if (keys_.same(slot.row, row)) return slot.code;
    }
  }

 private:
  struct ExactSlot {
    uint64_t hash = 0;
    int64_t code = -1;
  };
  struct ComparedSlot : ExactSlot {
    int64_t row = 0;
  };
  using Slot = std::conditional_t<Keys::hash_is_exact, ExactSlot, ComparedSlot>;

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.code < 0) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].code >= 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  const Keys& keys_;
  std::vector<Slot> slots_;
};

struct WordKeys {
  static constexpr bool hash_is_exact = true;  // mixed() is a bijection
  std::span<const uint64_t> words;
  int64_t size() const { return static_cast<int64_t>(words.size()); }
  uint64_t hash(int64_t row) const { return mixed(words[row]); }
  bool is_null(int64_t row) const { return words[row] == null_word; }
  bool same(int64_t a, int64_t b) const { return words[a] == words[b]; }
  bool before(int64_t a, int64_t b) const { return words[a] < words[b]; }
};

/// Words whose table needs no hash.
struct DenseKeys : WordKeys {
  uint64_t hash(int64_t row) const { return words[row]; }
};

struct TextKeys {
  static constexpr bool hash_is_exact = false;
  const TextsView& texts;
  int64_t size() const { return texts.size(); }
  std::string_view text(int64_t row) const {
    return {texts.data + texts.offsets[row], static_cast<size_t>(texts.offsets[row + 1] - texts.offsets[row])};
  }
  bool is_null(int64_t row) const { return texts.is_null(row); }
  uint64_t hash(int64_t row) const {
    const std::string_view bytes = text(row);
    const size_t size = bytes.size();
    uint64_t result = size * 0x9e3779b97f4a7c15u;
    if (size < 8)
      return mixed(result ^ (size < 4 ? few(bytes) : read<uint32_t>(bytes, 0) | read<uint32_t>(bytes, size - 4) << 32));
    for (size_t at = 0; at + 8 < size; at += 8) result = mixed(result ^ read<uint64_t>(bytes, at));
    return mixed(result ^ read<uint64_t>(bytes, size - 8));  // the last word may overlap the one before
  }
  bool same(int64_t a, int64_t b) const {
    const std::string_view one = text(a), other = text(b);
    const size_t size = one.size();
    if (size != other.size()) return false;
    if (size < 8 || size > 64) return one == other;
    for (size_t at = 0; at + 8 < size; at += 8)
      if (read<uint64_t>(one, at) != read<uint64_t>(other, at)) return false;
    return read<uint64_t>(one, size - 8) == read<uint64_t>(other, size - 8);
  }
  bool before(int64_t a, int64_t b) const { return text(a) < text(b); }

 private:
  template <class Word>
  static uint64_t read(std::string_view bytes, size_t at) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    return word;
  }
  /// Up to three bytes.
  static uint64_t few(std::string_view bytes) {
    uint64_t word = 0;
    for (const char byte : bytes) word = word << 8 | static_cast<unsigned char>(byte);
    return word;
  }
};

/// Numbers rows [begin, end) by first appearance; returns the first rows. A missing key's code is -1, or numbered too.
template <class Keys, class Table>
std::vector<int64_t> number_rows(const Keys& keys, const FactorizeOptions& options, int64_t begin, int64_t end,
                                 Table& table, int64_t* codes) {
  std::vector<int64_t> first;
  int64_t null_code = -1;
  for (int64_t row = begin; row < end; ++row) {
    if (options.nullable && keys.is_null(row)) {
      if (options.keep_null && null_code < 0) {
        null_code = static_cast<int64_t>(first.size());
        first.push_back(row);
      }
      codes[row] = null_code;
      continue;
    }
    const int64_t next = static_cast<int64_t>(first.size());
    codes[row] = table.find_or_insert(keys.hash(row), row, next);
    if (codes[row] == next) first.push_back(row);
  }
  return first;
}

/// Whether keys come again often enough for the tables of several runs to be joined at little cost, by the first rows.
template <class Keys, class MakeTable>
bool repeats(const Keys& keys, const FactorizeOptions& options, MakeTable make_table, int64_t* codes) {
  constexpr int64_t sample = 1 << 13;
  if (keys.size() < 1 << 18) return false;
  auto table = make_table();
  return number_rows(keys, options, 0, sample, table, codes).size() < sample / 2;
}

/// Runs of rows are numbered at the same time, then the numbers of each run are renamed in the order of the runs.
template <class Keys, class MakeTable>
std::vector<int64_t> number_all(const Keys& keys, const FactorizeOptions& options, MakeTable make_table,
                                int64_t* codes) {
  const int64_t n = keys.size();
  const int64_t runs =
      repeats(keys, options, make_table, codes) ? std::clamp<int64_t>(n >> 17, 1, runtime::thread_count()) : 1;
  std::vector<std::vector<int64_t>> first(runs);
  const auto begin_of = [&](int64_t run) { return n / runs * run + std::min(run, n % runs); };
  auto number = [&](int64_t from, int64_t to) {
    for (int64_t run = from; run < to; ++run) {
      auto table = make_table();
      first[run] = number_rows(keys, options, begin_of(run), begin_of(run + 1), table, codes);
    }
  };
  runtime::parallel_for(runs, 1, number);
  if (runs == 1) return std::move(first[0]);

  auto table = make_table();
  std::vector<int64_t> all;
  int64_t null_code = -1;
  for (auto& rows : first) {
    for (int64_t& row : rows) {
      const int64_t next = static_cast<int64_t>(all.size());
      const bool null = options.nullable && keys.is_null(row);
      const int64_t code =
          !null ? table.find_or_insert(keys.hash(row), row, next) : (null_code < 0 ? null_code = next : null_code);
      if (code == next) all.push_back(row);
      row = code;
    }
  }
  auto rename = [&](int64_t from, int64_t to) {
    for (int64_t run = from; run < to; ++run)
      for (int64_t row = begin_of(run); row < begin_of(run + 1); ++row)
        if (codes[row] >= 0) codes[row] = first[run][codes[row]];
  };
  runtime::parallel_for(runs, 1, rename);
  return all;
}

/// Renames codes of first appearance to those in the order of the values, missing keys last.
template <class Keys>
void sort_codes(const Keys& keys, bool nullable, std::vector<int64_t>& first, std::span<int64_t> codes) {
  std::vector<int64_t> order(first.size()), rank(first.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    const bool null_a = nullable && keys.is_null(first[a]), null_b = nullable && keys.is_null(first[b]);
    return null_a || null_b ? null_b && !null_a : keys.before(first[a], first[b]);
  });
  std::vector<int64_t> sorted(first.size());
  for (size_t at = 0; at < order.size(); ++at) {
    rank[order[at]] = static_cast<int64_t>(at);
    sorted[at] = first[order[at]];
  }
  first = std::move(sorted);
  auto rename = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      if (codes[row] >= 0) codes[row] = rank[codes[row]];
  };
  runtime::parallel_for(static_cast<int64_t>(codes.size()), 1 << 16, rename);
}

struct Range {
  uint64_t least = std::numeric_limits<uint64_t>::max(), largest = 0;
};

/// The least and largest word of keys that are not missing.
Range range_of(std::span<const uint64_t> words, bool nullable) {
  constexpr int64_t block = 1 << 16;
  const int64_t n = static_cast<int64_t>(words.size()), blocks = (n + block - 1) / block;
  std::vector<Range> found(blocks);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row) {
        if (nullable && words[row] == null_word) continue;
        found[b].least = std::min(found[b].least, words[row]);
        found[b].largest = std::max(found[b].largest, words[row]);
      }
  };
  runtime::parallel_for(blocks, 1, body);
  Range all;
  for (const Range& range : found) {
    all.least = std::min(all.least, range.least);
    all.largest = std::max(all.largest, range.largest);
  }
  return all;
}

}  // namespace

std::vector<int64_t> factorize(std::span<const uint64_t> words, const FactorizeOptions& options,
                               std::span<int64_t> codes) {
  const Range range = range_of(words, options.nullable);
  const uint64_t width = range.largest - range.least;
  const WordKeys keys{words};
  std::vector<int64_t> first;
  if (range.least > range.largest || width < std::clamp<uint64_t>(words.size() / 2, 1 << 12, 1 << 30)) {
    const uint64_t least = range.least > range.largest ? 0 : range.least;
    const uint64_t size = range.least > range.largest ? 0 : width;
    first = number_all(DenseKeys{keys}, options, [&] { return DenseTable(least, size); }, codes.data());
  } else {
    first = number_all(keys, options, [&] { return HashTable<WordKeys>(keys); }, codes.data());
  }
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

std::vector<int64_t> factorize(const TextsView& texts, const FactorizeOptions& options, std::span<int64_t> codes) {
  const TextKeys keys{texts};
  auto first = number_all(keys, options, [&] { return HashTable<TextKeys>(keys); }, codes.data());
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

void combine_codes(std::span<const int64_t* const> codes, std::span<const int64_t> sizes, std::span<uint64_t> words) {
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      uint64_t word = 0;
      bool null = false;
      for (size_t key = 0; key < codes.size(); ++key) {
        null |= codes[key][row] < 0;
        word = word * static_cast<uint64_t>(sizes[key]) + static_cast<uint64_t>(codes[key][row]);
      }
      words[row] = null ? null_word : word;
    }
  };
  runtime::parallel_for(static_cast<int64_t>(words.size()), 1 << 15, body);
}

}  // namespace tessera::routines::frames
