#include "tessera/routines/frames/rank.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tessera/library/host/sort.h"
#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr int64_t rank_block = 1 << 15;

/// Rows by their keys, and the keys in that order.
struct SortedKeys {
  Buffer<int64_t> order;
  Buffer<uint64_t> words;
  int64_t size() const { return order.size(); }
  bool begins_run(int64_t at) const { return at == 0 || words[at] != words[at - 1]; }
};

/// Calls body(block, begin, end) on all threads.
template <class Body>
void over_rank_blocks(int64_t rows, Body&& body) {
  auto some = [&](int64_t from, int64_t to) {
    for (int64_t b = from; b < to; ++b) body(b, b * rank_block, std::min(rows, (b + 1) * rank_block));
  };
  runtime::parallel_for((rows + rank_block - 1) / rank_block, 1, some);
}

SortedKeys sorted_keys(const RankRequest& request) {
  const int64_t rows = request.values.size;
  const Buffer<uint64_t> words(rows);
  const bool nulls_first = request.missing == RankRequest::Missing::top;
  write_sort_keys(request.values, request.times, {.falling = request.falling, .nulls_first = nulls_first},
                  words.span());
  SortedKeys sorted{.order = Buffer<int64_t>(rows), .words = Buffer<uint64_t>(rows)};
  library::argsort_rows(reinterpret_cast<const char*>(words.data()), DType::uint64, 1, rows, sorted.order.data());
  over_rank_blocks(rows, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) sorted.words[at] = words[sorted.order[at]];
  });
  return sorted;
}

/// How many runs of equal keys begin before each block, and in the end how many there are among the first `ranked`.
std::vector<int64_t> runs_before(const SortedKeys& sorted, int64_t ranked) {
  std::vector<int64_t> runs((ranked + rank_block - 1) / rank_block + 1, 0);
  over_rank_blocks(ranked, [&](int64_t block, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) runs[block + 1] += sorted.begins_run(at);
  });
  for (size_t block = 1; block < runs.size(); ++block) runs[block] += runs[block - 1];
  return runs;
}

/// The place of element `at` of the run [begin, end), which is the run of this number, from 1 on.
double place_of(Ties ties, int64_t at, int64_t begin, int64_t end, int64_t run) {
  switch (ties) {
    case Ties::average: return static_cast<double>(begin + 1 + end) / 2;
    case Ties::least: return static_cast<double>(begin + 1);
    case Ties::largest: return static_cast<double>(end);
    case Ties::first: return static_cast<double>(at + 1);
    case Ties::dense: return static_cast<double>(run);
  }
  std::unreachable();
}

}  // namespace

std::optional<Ties> ties_from_name(std::string_view name) {
  constexpr std::pair<std::string_view, Ties> names[] = {{"average", Ties::average},
                                                         {"min", Ties::least},
                                                         {"max", Ties::largest},
                                                         {"first", Ties::first},
                                                         {"dense", Ties::dense}};
  for (const auto& [known, ties] : names)
    if (known == name) return ties;
  return std::nullopt;
}

void rank(const RankRequest& request, std::span<double> out) {
  const SortedKeys sorted = sorted_keys(request);
  int64_t ranked = sorted.size();
  if (request.missing == RankRequest::Missing::keep && may_be_null(request.values.dtype, request.times))
    while (ranked > 0 && sorted.words[ranked - 1] == null_word) --ranked;
  for (int64_t at = ranked; at < sorted.size(); ++at) out[sorted.order[at]] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<int64_t> runs = runs_before(sorted, ranked);
  const double whole = !request.share ? 1 : static_cast<double>(request.ties == Ties::dense ? runs.back() : ranked);
  over_rank_blocks(ranked, [&](int64_t block, int64_t begin, int64_t end) {
    int64_t run = runs[block];
    while (begin < end && !sorted.begins_run(begin)) ++begin;  // the run is that of a block before
    while (begin < end) {
      int64_t next = begin + 1;
      while (next < ranked && !sorted.begins_run(next)) ++next;
      ++run;
      for (int64_t at = begin; at < next; ++at)
        out[sorted.order[at]] = place_of(request.ties, at, begin, next, run) / whole;
      begin = next;
    }
  });
}

}  // namespace tessera::routines::frames
