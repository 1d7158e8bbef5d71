#include "tessera/routines/frames/factorize.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/layout/element_cast.h"
#include "tessera/library/host/sort.h"
#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/keys.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

/// A table for numbers that are all within a short range.
class DenseTable {
 public:
  explicit DenseTable(uint64_t width) : codes_(width + 1, -1) {}
  /// The code of the number, which is `next` if the number is new.
  int64_t find_or_insert(uint64_t number, int64_t next) {
    int32_t& code = codes_[number];
    if (code < 0) code = static_cast<int32_t>(next);
    return code;
  }

 private:
  std::vector<int32_t> codes_;
};

/// An open table by hash.
template <class Keys>
class HashTable {
 public:
  using Image = typename Keys::Image;
  explicit HashTable(const Keys& keys) : keys_(keys), slots_(1 << 12) {}
  int64_t find_or_insert(const Image& image, int64_t next) {
    if (2 * static_cast<size_t>(next) >= slots_.size()) grow();
    const size_t mask = slots_.size() - 1;
    for (size_t at = keys_.hash_of(image) & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.code < 0) {
        slot = {image, next};
        return next;
      }
      if (keys_.match(slot.image, image)) return slot.code;
    }
  }

 private:
  struct Slot {
    Image image{};
    int64_t code = -1;
  };

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.code < 0) continue;
      size_t at = keys_.hash_of(slot.image) & mask;
      while (slots_[at].code >= 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  const Keys& keys_;
  std::vector<Slot> slots_;
};

/// Numbers rows [begin, end) by first appearance; returns the first rows. A missing key's code is -1, or numbered too.
template <class Keys, class Table>
std::vector<int64_t> number_rows(const Keys& keys, const FactorizeOptions& options, int64_t begin, int64_t end,
                                 Table& table, int64_t* codes) {
  std::vector<int64_t> first;
  int64_t null_code = -1;
  constexpr int64_t block = 256;  // images of a block are made before the table is asked, so that loads overlap
  typename Keys::Image images[block];
  for (int64_t from = begin; from < end; from += block) {
    const int64_t to = std::min(end, from + block);
    for (int64_t row = from; row < to; ++row) images[row - from] = keys.image(row);
    for (int64_t row = from; row < to; ++row) {
      const int64_t next = static_cast<int64_t>(first.size());
      if (options.nullable && keys.is_null(row)) {
        if (options.keep_null && null_code < 0) first.push_back(row), null_code = next;
        codes[row] = null_code;
        continue;
      }
      codes[row] = table.find_or_insert(images[row - from], next);
      if (codes[row] == next) first.push_back(row);
    }
  }
  return first;
}

/// Runs of rows are numbered at the same time, then the numbers of each run are renamed in the order of the runs.
template <class Keys, class MakeTable>
std::vector<int64_t> number_runs(const Keys& keys, const FactorizeOptions& options, int64_t runs, MakeTable make_table,
                                 int64_t* codes) {
  const int64_t n = keys.size();
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
          !null ? table.find_or_insert(keys.image(row), next) : (null_code < 0 ? null_code = next : null_code);
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
std::vector<int64_t> number_owners(std::span<int64_t> owners) {
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
  std::vector<int64_t> first(begins[blocks]);
  // Numbers of first rows are kept as -2 - number until all others have read them.
  over_blocks([&](int64_t b, int64_t row) {
    if (owners[row] != row) return;
    const int64_t number = begins[b]++;
    first[number] = row;
    owners[row] = -2 - number;
  });
  over_blocks([&](int64_t, int64_t row) {
    if (owners[row] >= 0) owners[row] = -2 - owners[owners[row]];
  });
  auto settle = [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; ++at) owners[first[at]] = at;
  };
  runtime::parallel_for(static_cast<int64_t>(first.size()), 1 << 15, settle);
  return first;
}

/// The first row with each hash, of the rows of one part.
class OwnerTable {
 public:
  explicit OwnerTable(int64_t rows) : slots_(std::bit_ceil(static_cast<uint64_t>(2 * rows + 1))) {}
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
  std::vector<Partitions::Item> slots_;
};

/// Whether keys with equal hashes are equal, as they are but for texts that were made to meet.
template <class Keys>
bool hashes_are_exact(const Keys& keys, std::span<const int64_t> owners) {
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
template <class Keys>
void find_owners(const Keys& keys, const FactorizeOptions& options, std::span<int64_t> owners) {
  const Partitions parts = partition(keys, options.nullable);
  auto own = [&](int64_t from, int64_t to) {
    OwnerTable table(parts.largest());
    for (int64_t part = from; part < to; ++part) {
      table.clear();
      for (int64_t at = parts.begins[part]; at < parts.begins[part + 1]; ++at)
        owners[parts.items[at].row] = table.owner_of(parts.items[at]);
    }
  };
  runtime::parallel_for(Partitions::count, 16, own);
  if (!options.nullable) return;
  int64_t owner = -1;
  for (int64_t row = 0; row < keys.size(); ++row) {
    if (!keys.is_null(row)) continue;
    if (owner < 0 && options.keep_null) owner = row;
    owners[row] = owner;
  }
}

constexpr int64_t many_rows = 1 << 18;

/// Runs whose tables can be joined at little cost.
int64_t runs_of(int64_t rows) {
  return rows < many_rows ? 1 : std::clamp<int64_t>(rows >> 17, 1, runtime::thread_count());
}

template <class Keys>
std::vector<int64_t> number_hashed(const Keys& keys, const FactorizeOptions& options, std::span<int64_t> codes) {
  const auto make_table = [&] { return HashTable<Keys>(keys); };
  if (keys.size() >= many_rows) {
    constexpr int64_t sample = 1 << 15;  // how many of these are distinct tells how many there are, if they are mixed
    auto table = make_table();
    if (number_rows(keys, options, 0, sample, table, codes.data()).size() >= sample / 4 * 3) {
      find_owners(keys, options, codes);
      if (hashes_are_exact(keys, codes)) return number_owners(codes);
    }
  }
  return number_runs(keys, options, runs_of(keys.size()), make_table, codes.data());
}

/// The distinct keys, given by their first rows, in order; missing keys last.
template <class Keys>
std::vector<int64_t> order_of(const Keys& keys, bool nullable, std::span<const int64_t> first) {
  std::vector<uint64_t> heads(first.size());
  int64_t null = -1;
  for (size_t at = 0; at < first.size(); ++at) {
    if (nullable && keys.is_null(first[at]))
      null = static_cast<int64_t>(at);
    else
      heads[at] = keys.head_in_order(first[at]);
  }
  std::vector<int64_t> order(first.size());
  library::argsort_rows(reinterpret_cast<const char*>(heads.data()), DType::uint64, 1,
                        static_cast<int64_t>(heads.size()), order.data());
  if (null >= 0) {
    order.erase(std::ranges::find(order, null));
    order.push_back(null);
  }
  if constexpr (std::is_base_of_v<TextBytes, Keys>) {
    const auto end = order.end() - (null >= 0 ? 1 : 0);
    for (auto from = order.begin(); from < end;) {
      const auto to = std::find_if(from, end, [&](int64_t at) { return heads[at] != heads[*from]; });
      std::sort(from, to, [&](int64_t a, int64_t b) { return keys.text(first[a]) < keys.text(first[b]); });
      from = to;
    }
  }
  return order;
}

/// Renames codes of first appearance to those in the order of the values, missing keys last.
template <class Keys>
void sort_codes(const Keys& keys, bool nullable, std::vector<int64_t>& first, std::span<int64_t> codes) {
  const std::vector<int64_t> order = order_of(keys, nullable, first);
  std::vector<int64_t> rank(first.size()), sorted(first.size());
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

/// The least and largest of keys that are not missing.
template <class T>
struct Range {
  T least = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::min();

  void add(T value) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  bool is_empty() const { return least > largest; }
  uint64_t width() const { return is_empty() ? 0 : static_cast<uint64_t>(largest) - static_cast<uint64_t>(least); }
};

/// `is_present(value)`: whether it counts.
template <class T, class IsPresent>
Range<T> range_of(std::span<const T> values, IsPresent&& is_present) {
  constexpr int64_t block = 1 << 16;
  const int64_t n = static_cast<int64_t>(values.size()), blocks = (n + block - 1) / block;
  std::vector<Range<T>> found(blocks);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Range<T> range;
      for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row)
        if (is_present(values[row])) range.add(values[row]);
      found[b] = range;
    }
  };
  runtime::parallel_for(blocks, 1, body);
  Range<T> all;
  for (const Range<T>& range : found) {
    all.least = std::min(all.least, range.least);
    all.largest = std::max(all.largest, range.largest);
  }
  return all;
}

int64_t longest_of(const TextsView& texts) {
  std::atomic<int64_t> longest = 0;
  auto body = [&](int64_t begin, int64_t end) {
    int64_t here = 0;
    for (int64_t row = begin; row < end; ++row) here = std::max(here, texts.offsets[row + 1] - texts.offsets[row]);
    for (int64_t known = longest; known < here && !longest.compare_exchange_weak(known, here);) {
    }
  };
  runtime::parallel_for(texts.size(), 1 << 16, body);
  return longest;
}

/// Whether a table with a place for each value in the range is worth its memory.
bool is_dense(uint64_t width, int64_t rows) { return width < std::clamp<uint64_t>(rows / 8, 1 << 12, 1 << 30); }

template <class Keys>
std::vector<int64_t> number_dense(const Keys& keys, uint64_t width, const FactorizeOptions& options,
                                  std::span<int64_t> codes) {
  const auto make_table = [&] { return DenseTable(width); };
  auto first = number_runs(keys, options, runs_of(keys.size()), make_table, codes.data());
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

/// Codes of integers in a short range, without words; nothing where they are in no such range.
template <class T>
std::optional<std::vector<int64_t>> number_integers(const ColumnView& column, const FactorizeOptions& options,
                                                    std::span<int64_t> codes) {
  if (column.stride != sizeof(T)) return std::nullopt;
  const std::span values(reinterpret_cast<const T*>(column.data), column.size);
  const Range<T> range = range_of(values, [](T) { return true; });
  if (!is_dense(range.width(), column.size)) return std::nullopt;
  return number_dense(IntegerKeys<T>(values, range.least), range.width(), options, codes);
}

}  // namespace

std::vector<int64_t> factorize(const ColumnView& column, bool times, bool keep_null, bool sorted,
                               std::span<int64_t> codes) {
  const FactorizeOptions options{
      .nullable = may_be_null(column.dtype, times), .keep_null = keep_null, .sorted = sorted};
  std::optional<std::vector<int64_t>> found;
  if (!options.nullable)
    visit_dtype(column.dtype, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        found = number_integers<T>(column, options, codes);
    });
  if (found) return *std::move(found);
  const Buffer<uint64_t> words(column.size);
  write_words(column, times, words.span());
  return factorize(words.span(), options, codes);
}

std::vector<int64_t> factorize(std::span<const uint64_t> words, const FactorizeOptions& options,
                               std::span<int64_t> codes) {
  const auto is_present = [&](uint64_t word) { return !options.nullable || word != null_word; };
  const Range<uint64_t> range = range_of(words, is_present);
  const WordKeys keys(words);
  if (is_dense(range.width(), keys.size()))
    return number_dense(DenseKeys(words, range.is_empty() ? 0 : range.least), range.width(), options, codes);
  auto first = number_hashed(keys, options, codes);
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

std::vector<int64_t> factorize(const TextsView& texts, const FactorizeOptions& options, std::span<int64_t> codes) {
  const auto number = [&](const auto& keys) {
    auto first = number_hashed(keys, options, codes);
    if (options.sorted) sort_codes(keys, options.nullable, first, codes);
    return first;
  };
  const int64_t longest = longest_of(texts);
  if (longest <= ShortTextKeys::largest) return number(ShortTextKeys(texts));
  if (longest <= MiddleTextKeys::largest) return number(MiddleTextKeys(texts));
  return number(TextKeys(texts));
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
