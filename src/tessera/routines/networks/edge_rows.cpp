#include "tessera/routines/networks/edge_rows.h"

#include <algorithm>
#include <numeric>

namespace tessera::routines::networks {

namespace {

/// All arcs of the edges by row, in the order of edges, duplicates included.
struct Sorted {
  std::vector<int64_t> offsets;
  std::vector<Node> targets;
  std::vector<int64_t> edges;
};

Sorted sort_by_row(int64_t nodes, std::span<const Node> from, std::span<const Node> to, bool both) {
  const auto count = static_cast<int64_t>(from.size());
  Sorted sorted;
  sorted.offsets.assign(nodes + 1, 0);
  for (int64_t e = 0; e < count; ++e) {
    ++sorted.offsets[from[e] + 1];
    if (both && from[e] != to[e]) ++sorted.offsets[to[e] + 1];
  }
  std::partial_sum(sorted.offsets.begin(), sorted.offsets.end(), sorted.offsets.begin());
  sorted.targets.resize(sorted.offsets[nodes]);
  sorted.edges.resize(sorted.offsets[nodes]);
  std::vector<int64_t> place(sorted.offsets.begin(), sorted.offsets.end() - 1);
  const auto put = [&](Node row, Node target, int64_t edge) {
    const int64_t at = place[row]++;
    sorted.targets[at] = target;
    sorted.edges[at] = edge;
  };
  for (int64_t e = 0; e < count; ++e) {
    put(from[e], to[e], e);
    if (both && from[e] != to[e]) put(to[e], from[e], e);
  }
  return sorted;
}

}  // namespace

EdgeRows rows_of_edges(int64_t nodes, std::span<const Node> from, std::span<const Node> to, bool both) {
  Sorted sorted = sort_by_row(nodes, from, to, both);
  EdgeRows result;
  result.rows.offsets.reserve(nodes + 1);
  std::vector<int64_t> seen(nodes, -1);  // where a target was last put
  std::vector<int64_t> last;             // the last edge of each arc, once some have several
  int64_t kept = 0;
  for (int64_t v = 0; v < nodes; ++v) {
    const int64_t begin = kept;
    for (int64_t a = sorted.offsets[v]; a < sorted.offsets[v + 1]; ++a) {
      const Node target = sorted.targets[a];
      const int64_t edge = sorted.edges[a];
      if (seen[target] < begin) {
        if (!last.empty()) last[kept] = edge;
        seen[target] = kept;
        sorted.targets[kept] = target;
        sorted.edges[kept++] = edge;
        continue;
      }
      if (last.empty()) {
        last.resize(sorted.edges.size());
        std::copy_n(sorted.edges.begin(), kept, last.begin());
        result.next.assign(from.size(), -1);
      }
      result.next[last[seen[target]]] = edge;
      last[seen[target]] = edge;
    }
    result.rows.offsets.push_back(kept);
  }
  sorted.targets.resize(kept);
  sorted.edges.resize(kept);
  result.rows.targets = std::move(sorted.targets);
  result.first = std::move(sorted.edges);
  return result;
}

}  // namespace tessera::routines::networks
