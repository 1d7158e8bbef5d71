#include "tessera/plan/split_window.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tessera::plan {

using graph::Node;
using graph::Version;
using graph::Window;

namespace {

/// Sets of numbers, joined one pair at a time; each is named by its smallest number.
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0); }
  int32_t find(int32_t k) {
    while (of_[static_cast<size_t>(k)] != k)
      k = of_[static_cast<size_t>(k)] = of_[static_cast<size_t>(of_[static_cast<size_t>(k)])];
    return k;
  }
  void join(int32_t a, int32_t b) {
    a = find(a), b = find(b);
    of_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int32_t> of_;
};

/// Joins each node with those that make what it reads. Nodes that read what was there before are joined only where
/// another one writes it.
DisjointSets join_dependent(const Window& window, int64_t count) {
  DisjointSets sets(static_cast<size_t>(count));
  const int64_t begin = window.begin();
  std::unordered_map<const Version*, int32_t> overwritten;
  for (int32_t k = 0; k < count; ++k)
    if (const Version* old = window[begin + k].old.get()) {
      const auto [at, is_new] = overwritten.emplace(old, k);
      if (!is_new) sets.join(at->second, k);
    }
  for (int32_t k = 0; k < count; ++k) {
    const auto reads = [&](const Version& version, int64_t = 0) {
      if (version.window == &window && version.producer >= begin && version.producer < begin + count)
        sets.join(static_cast<int32_t>(version.producer - begin), k);
      if (const auto writer = overwritten.find(&version); writer != overwritten.end()) sets.join(writer->second, k);
    };
    const Node& node = window[begin + k];
    graph::each_input(node, reads);
    if (node.old) reads(*node.old);
  }
  return sets;
}

}  // namespace

std::vector<int64_t> split_window(Window& window, int64_t end, int64_t least_bytes) {
  const int64_t begin = window.begin(), count = end - begin;
  int64_t all_bytes = 0;
  for (int64_t number = begin; number < end; ++number) {
    if (window[number].form->pinned) return {end};
    all_bytes += window[number].out->nbytes;
  }
  if (all_bytes < 2 * least_bytes) return {end};
  DisjointSets sets = join_dependent(window, count);
  std::vector<int64_t> nbytes(static_cast<size_t>(count));
  for (int32_t k = 0; k < count; ++k) nbytes[static_cast<size_t>(sets.find(k))] += window[begin + k].out->nbytes;
  // Small sets join the first one that is large.
  int32_t large = -1;
  for (int32_t k = 0; k < count && large < 0; ++k)
    if (nbytes[static_cast<size_t>(k)] >= least_bytes) large = k;
  if (large < 0) return {end};
  std::vector<int32_t> part(static_cast<size_t>(count)), order(static_cast<size_t>(count));
  for (int32_t k = 0; k < count; ++k) {
    const int32_t set = sets.find(k);
    part[static_cast<size_t>(k)] = nbytes[static_cast<size_t>(set)] >= least_bytes ? set : large;
  }
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t k) { return part[static_cast<size_t>(k)]; });
  std::vector<int64_t> ends;
  for (size_t k = 1; k < order.size(); ++k)
    if (part[static_cast<size_t>(order[k])] != part[static_cast<size_t>(order[k - 1])])
      ends.push_back(begin + static_cast<int64_t>(k));
  ends.push_back(end);
  if (ends.size() > 1) window.reorder(order);
  return ends;
}

}  // namespace tessera::plan
