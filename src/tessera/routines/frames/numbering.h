/// number_runs: numbers rows by the first appearance of their keys, runs of rows at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/factorize_options.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// The distinct keys of some rows.
template <class Table>
struct Numbering {
  Table table;
  Rows first;  ///< the row of each, by code
  int64_t null_code = -1;

  int64_t count() const { return static_cast<int64_t>(first.size()); }
};

inline constexpr int64_t image_block = 256;  // images that are made before the table is asked, so that loads overlap

/// The images of rows [begin, end).
template <class Keys>
void write_images(const Keys& keys, int64_t begin, int64_t end, typename Keys::Image* images) {
  if constexpr (requires { keys.write_images(begin, end, images); })
    keys.write_images(begin, end, images);
  else
    for (int64_t row = begin; row < end; ++row) images[row - begin] = keys.image(row);
}

/// Keys of up to image_block rows, on their way through a table.
template <class Keys>
struct KeyBlock {
  typename Keys::Image images[image_block];
  uint64_t hashes[image_block];
  int64_t guesses[image_block];

  template <class Table>
  void read(const Keys& keys, const Table& table, int64_t begin, int64_t end) {
    write_images(keys, begin, end, images);
    for (int64_t at = 0; at < end - begin; ++at) {
      hashes[at] = table.hash_of(images[at]);
      table.fetch(hashes[at]);
    }
    for (int64_t at = 0; at < end - begin; ++at) guesses[at] = table.guess(hashes[at]);
  }
  template <class Table>
  bool is_known(const Table& table, int64_t at) const {
    return guesses[at] >= 0 && table.is_right(guesses[at], images[at]);
  }
};

/// Numbers rows [begin, end). A missing key's code is -1, or numbered too.
template <class Keys, class Table, class Code>
void number_rows(const Keys& keys, const FactorizeOptions& options, int64_t begin, int64_t end, Numbering<Table>& known,
                 Code* codes) {
  KeyBlock<Keys> block;
  for (int64_t from = begin; from < end; from += image_block) {
    const int64_t to = std::min(end, from + image_block);
    block.read(keys, known.table, from, to);
    for (int64_t row = from; row < to; ++row) {
      const int64_t next = known.count();
      if (options.nullable && keys.is_null(row)) {
        if (options.keep_null && known.null_code < 0) known.first.push_back(row), known.null_code = next;
        codes[row] = static_cast<Code>(known.null_code);
        continue;
      }
      const int64_t at = row - from;
      const int64_t code = block.is_known(known.table, at)
                               ? block.guesses[at]
                               : known.table.find_or_insert(block.images[at], block.hashes[at], next);
      if (code == next) known.first.push_back(row);
      codes[row] = static_cast<Code>(code);
    }
  }
}

/// Adds the keys of `more` from the code `from` on; returns their new codes.
template <class Keys, class Table>
Rows add_keys(const Keys& keys, const FactorizeOptions& options, const Numbering<Table>& more, int64_t from,
              Numbering<Table>& all) {
  Rows codes;
  for (int64_t at = from; at < more.count(); ++at) {
    const int64_t row = more.first[at], next = all.count();
    const bool null = options.nullable && keys.is_null(row);
    const auto image = keys.image(row);
    const int64_t code = !null               ? all.table.find_or_insert(image, all.table.hash_of(image), next)
                         : all.null_code < 0 ? all.null_code = next
                                             : all.null_code;
    if (code == next) all.first.push_back(row);
    codes.push_back(code);
  }
  return codes;
}

/// Numbers the rows from `begin` on, of which `runs` are walked at the same time: each begins with the keys that are
/// `known`, and what it finds besides is renamed in the order of the runs. Returns the first rows.
template <class Keys, class Table, class Code>
Rows number_runs(const Keys& keys, const FactorizeOptions& options, Numbering<Table> known, int64_t begin, int64_t runs,
                 Code* codes) {
  const int64_t rows = keys.size() - begin, old = known.count();
  const auto begin_of = [&](int64_t run) { return begin + rows / runs * run + std::min(run, rows % runs); };
  std::vector<Numbering<Table>> parts(runs - 1, known);
  parts.push_back(std::move(known));
  auto number = [&](int64_t from, int64_t to) {
    for (int64_t run = from; run < to; ++run)
      number_rows(keys, options, begin_of(run), begin_of(run + 1), parts[run], codes);
  };
  runtime::parallel_for(runs, 1, number);
  for (int64_t run = 1; run < runs; ++run) {
    const Rows renamed = add_keys(keys, options, parts[run], old, parts[0]);
    auto rename = [&](int64_t from, int64_t to) {
      for (int64_t row = begin_of(run) + from; row < begin_of(run) + to; ++row)
        if (codes[row] >= old) codes[row] = static_cast<Code>(renamed[codes[row] - old]);
    };
    if (!renamed.empty()) runtime::parallel_for(begin_of(run + 1) - begin_of(run), 1 << 16, rename);
  }
  return std::move(parts[0].first);
}

}  // namespace tessera::routines::frames
