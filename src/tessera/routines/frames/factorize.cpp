#include "tessera/routines/frames/factorize.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "tessera/layout/element_cast.h"
#include "tessera/library/host/sort.h"
#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/keys.h"
#include "tessera/routines/frames/numbering.h"
#include "tessera/routines/frames/owners.h"
#include "tessera/routines/frames/ranges.h"
#include "tessera/routines/frames/tables.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

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
template <class Keys, class Code>
void sort_codes(const Keys& keys, bool nullable, Rows& first, std::span<Code> codes) {
  const std::vector<int64_t> order = order_of(keys, nullable, first);
  Rows rank(first.size()), sorted(first.size());
  for (size_t at = 0; at < order.size(); ++at) {
    rank[order[at]] = static_cast<int64_t>(at);
    sorted[at] = first[order[at]];
  }
  first = std::move(sorted);
  auto rename = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      if (codes[row] >= 0) codes[row] = static_cast<Code>(rank[codes[row]]);
  };
  runtime::parallel_for(static_cast<int64_t>(codes.size()), 1 << 16, rename);
}

constexpr int64_t many_rows = 1 << 18;
constexpr int64_t first_rows = 1 << 15;  // are numbered before the others, by one thread

/// Runs of rows that repay a table each: more than threads, where the tables are small, so that none waits for others.
int64_t runs_of(int64_t rows, int64_t distinct) {
  const int64_t threads = runtime::thread_count();
  return std::clamp<int64_t>(rows >> 17, 1, distinct < (1 << 11) ? 4 * threads : threads);
}

/// Numbers all rows after a first look at some of them; nothing where few of those have equal keys.
template <class Keys, class Table, class Code>
std::optional<Rows> try_number(const Keys& keys, const FactorizeOptions& options, Table table, bool any_number,
                               std::span<Code> codes) {
  Numbering<Table> known{.table = std::move(table)};
  const int64_t looked_at = keys.size() < many_rows ? keys.size() : first_rows;
  number_rows(keys, options, 0, looked_at, known, codes.data());
  if (looked_at == keys.size()) return std::move(known.first);
  // Of half a million distinct keys that are mixed, so many of the first ones are.
  if (!any_number && known.count() >= looked_at / 32 * 31) return std::nullopt;
  const int64_t runs = runs_of(keys.size(), known.count());
  return number_runs(keys, options, std::move(known), looked_at, runs, codes.data());
}

template <class Keys, class Code>
Rows number_hashed(const Keys& keys, const FactorizeOptions& options, std::span<Code> codes) {
  if (auto few = try_number(keys, options, HashTable<Keys>(keys), false, codes)) return *std::move(few);
  find_owners(keys, options, codes);
  if (hashes_are_exact(keys, codes)) return number_owners(codes);
  return *try_number(keys, options, HashTable<Keys>(keys), true, codes);
}

template <class Keys, class Code>
Rows number_dense(const Keys& keys, uint64_t width, const FactorizeOptions& options, std::span<Code> codes) {
  Rows first = *try_number(keys, options, DenseTable(width), true, codes);
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

/// Codes of integers in a short range, without words; nothing where they are in no such range.
template <class T, class Code>
std::optional<Rows> number_integers(const ColumnView& column, const FactorizeOptions& options, std::span<Code> codes) {
  if (column.stride != sizeof(T)) return std::nullopt;
  const std::span values(reinterpret_cast<const T*>(column.data), column.size);
  const Range<T> range = range_of(values, [](T) { return true; });
  if (!is_dense(range.width(), column.size)) return std::nullopt;
  return number_dense(IntegerKeys<T>(values, range.least), range.width(), options, codes);
}

template <class Code>
Rows number_words(std::span<const uint64_t> words, const FactorizeOptions& options, std::span<Code> codes) {
  const auto is_present = [&](uint64_t word) { return !options.nullable || word != null_word; };
  const Range<uint64_t> range = range_of(words, is_present);
  const WordKeys keys(words);
  if (is_dense(range.width(), keys.size()))
    return number_dense(DenseKeys(words, range.is_empty() ? 0 : range.least), range.width(), options, codes);
  Rows first = number_hashed(keys, options, codes);
  if (options.sorted) sort_codes(keys, options.nullable, first, codes);
  return first;
}

}  // namespace

Rows factorize(const ColumnView& column, bool times, bool keep_null, bool sorted, const CodesSpan& codes) {
  const FactorizeOptions options{
      .nullable = may_be_null(column.dtype, times), .keep_null = keep_null, .sorted = sorted};
  std::optional<Rows> found;
  if (!options.nullable)
    visit_dtype(column.dtype, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        found = codes.visit([&](auto span) { return number_integers<T>(column, options, span); });
    });
  if (found) return *std::move(found);
  const Buffer<uint64_t> words(column.size);
  write_words(column, times, words.span());
  return factorize(words.span(), options, codes);
}

Rows factorize(std::span<const uint64_t> words, const FactorizeOptions& options, const CodesSpan& codes) {
  return codes.visit([&](auto span) { return number_words(words, options, span); });
}

Rows factorize(const TextsView& texts, const FactorizeOptions& options, const CodesSpan& codes) {
  const auto number = [&](const auto& keys) {
    return codes.visit([&](auto span) {
      Rows first = number_hashed(keys, options, span);
      if (options.sorted) sort_codes(keys, options.nullable, first, span);
      return first;
    });
  };
  const int64_t longest = longest_of(texts);
  if (longest <= ShortTextKeys::largest) return number(ShortTextKeys(texts));
  if (longest <= MiddleTextKeys::largest) return number(MiddleTextKeys(texts));
  return number(TextKeys(texts));
}

Rows factorize(std::span<const CodesView> keys, std::span<const int64_t> sizes, bool sorted, const CodesSpan& codes) {
  const CombinedKeys combined(keys, sizes);
  const FactorizeOptions options{.nullable = true, .keep_null = false, .sorted = sorted};
  uint64_t combinations = 1;
  for (const int64_t size : sizes) combinations *= static_cast<uint64_t>(size);
  if (is_dense(combinations, codes.size()))
    return codes.visit([&](auto span) { return number_dense(combined, combinations, options, span); });
  const Buffer<uint64_t> words(codes.size());
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t from = begin; from < end; from += image_block)
      combined.write_images(from, std::min(end, from + image_block), words.data() + from);
  };
  runtime::parallel_for(codes.size(), 1 << 15, body);
  return factorize(words.span(), options, codes);
}

}  // namespace tessera::routines::frames
