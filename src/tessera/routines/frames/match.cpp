#include "tessera/routines/frames/match.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "tessera/layout/element_cast.h"
#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/keys.h"
#include "tessera/routines/frames/numbering.h"
#include "tessera/routines/frames/ranges.h"
#include "tessera/routines/frames/tables.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr int64_t most_built = 1 << 20;  // rows of which one thread makes a table

template <class Keys, class Table, class Code>
void find_rows(const Keys& keys, const FactorizeOptions& options, const Numbering<Table>& known, int64_t begin,
               int64_t end, Code* codes) {
  KeyBlock<Keys> block;
  for (int64_t from = begin; from < end; from += image_block) {
    const int64_t to = std::min(end, from + image_block);
    block.read(keys, known.table, from, to);
    for (int64_t row = from; row < to; ++row) {
      const bool null = options.nullable && keys.is_null(row);
      const int64_t at = row - from;
      codes[row] =
          static_cast<Code>(null                              ? known.null_code
                            : block.is_known(known.table, at) ? block.guesses[at]
                                                              : known.table.find(block.images[at], block.hashes[at]));
    }
  }
}

template <class Keys, class Table>
int64_t match(const Keys& built, const Keys& probe, Table table, bool nullable, const CodesSpan& built_codes,
              const CodesSpan& probe_codes) {
  const FactorizeOptions options{.nullable = nullable, .keep_null = true};
  Numbering<Table> known{.table = std::move(table)};
  built_codes.visit([&](auto codes) { number_rows(built, options, 0, built.size(), known, codes.data()); });
  probe_codes.visit([&](auto codes) {
    auto find = [&](int64_t begin, int64_t end) { find_rows(probe, options, known, begin, end, codes.data()); };
    runtime::parallel_for(probe.size(), 1 << 15, find);
  });
  return known.count();
}

template <class T>
std::optional<int64_t> match_integers(const ColumnView& built, const ColumnView& probe, const CodesSpan& built_codes,
                                      const CodesSpan& probe_codes) {
  if (built.stride != sizeof(T) || probe.stride != sizeof(T)) return std::nullopt;
  const std::span values(reinterpret_cast<const T*>(built.data), built.size);
  const Range<T> range = range_of(values, [](T) { return true; });
  if (range.is_empty() || !is_dense(range.width(), std::max(built.size, probe.size))) return std::nullopt;
  const std::span others(reinterpret_cast<const T*>(probe.data), probe.size);
  return match(IntegerKeys<T>(values, range.least), IntegerKeys<T>(others, range.least), DenseTable(range.width()),
               false, built_codes, probe_codes);
}

template <class Keys>
int64_t match_hashed(const Keys& built, const Keys& probe, bool nullable, const CodesSpan& built_codes,
                     const CodesSpan& probe_codes) {
  return match(built, probe, HashTable<Keys>(built), nullable, built_codes, probe_codes);
}

}  // namespace

std::optional<int64_t> match_keys(const ColumnView& built, const ColumnView& probe, const CodesSpan& built_codes,
                                  const CodesSpan& probe_codes) {
  if (built.size > most_built || built.dtype != probe.dtype) return std::nullopt;
  std::optional<int64_t> found;
  visit_dtype(built.dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      found = match_integers<T>(built, probe, built_codes, probe_codes);
  });
  if (found) return found;
  const Buffer<uint64_t> words(built.size), others(probe.size);
  write_words(built, false, words.span());
  write_words(probe, false, others.span());
  return match_hashed(WordKeys(words.span()), WordKeys(others.span()), false, built_codes, probe_codes);
}

std::optional<int64_t> match_keys(const TextsView& built, const TextsView& probe, const CodesSpan& built_codes,
                                  const CodesSpan& probe_codes) {
  if (built.size() > most_built) return std::nullopt;
  const bool nullable = built.valid || probe.valid;
  const int64_t longest = std::max(longest_of(built), longest_of(probe));
  if (longest <= ShortTextKeys::largest)
    return match_hashed(ShortTextKeys(built), ShortTextKeys(probe), nullable, built_codes, probe_codes);
  if (longest <= MiddleTextKeys::largest)
    return match_hashed(MiddleTextKeys(built), MiddleTextKeys(probe), nullable, built_codes, probe_codes);
  return std::nullopt;
}

}  // namespace tessera::routines::frames
