#include "tessera/routines/networks/derived.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tessera/routines/networks/traversal.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

namespace {

/// Joins rows that were made one a node.
Csr join(const std::vector<std::vector<Node>>& rows) {
  Csr result;
  result.offsets.resize(rows.size() + 1);
  for (size_t v = 0; v < rows.size(); ++v)
    result.offsets[v + 1] = result.offsets[v] + static_cast<int64_t>(rows[v].size());
  result.targets.reserve(result.offsets.back());
  for (const auto& row : rows) result.targets.insert(result.targets.end(), row.begin(), row.end());
  return result;
}

/// Calls make(v, row) for every node, on all threads.
template <class Make>
Csr make_rows(int64_t nodes, Make make) {
  std::vector<std::vector<Node>> rows(nodes);
  auto body = [&](int64_t begin, int64_t end) { make(begin, end, rows); };
  runtime::parallel_for(nodes, 64, body);
  return join(rows);
}

}  // namespace

Csr complement(CsrView graph) {
  return make_rows(graph.nodes(), [&](int64_t begin, int64_t end, std::vector<std::vector<Node>>& rows) {
    std::vector<uint8_t> near(graph.nodes());
    for (int64_t v = begin; v < end; ++v) {
      for (Node next : graph.row(v)) near[next] = 1;
      near[v] = 1;
      for (int64_t u = 0; u < graph.nodes(); ++u)
        if (!near[u]) rows[v].push_back(static_cast<Node>(u));
      for (Node next : graph.row(v)) near[next] = 0;
      near[v] = 0;
    }
  });
}

Csr reachable(CsrView graph) {
  return make_rows(graph.nodes(), [&](int64_t begin, int64_t end, std::vector<std::vector<Node>>& rows) {
    Marks marks(graph.nodes());
    for (int64_t v = begin; v < end; ++v) {
      // The node itself is not marked, so that it is found where an arc leads back to it.
      auto& row = rows[v];
      for (Node next : graph.row(v))
        if (marks.mark(next)) row.push_back(next);
      for (size_t at = 0; at < row.size(); ++at)
        for (Node next : graph.row(row[at]))
          if (marks.mark(next)) row.push_back(next);
      marks.clear(row);
      std::ranges::sort(row);
    }
  });
}

Csr transitive_reduction(CsrView graph) {
  const Search layers = topological_layers(graph);
  std::vector<int64_t> place(graph.nodes());
  for (size_t i = 0; i < layers.order.size(); ++i) place[layers.order[i]] = static_cast<int64_t>(i);
  return make_rows(graph.nodes(), [&](int64_t begin, int64_t end, std::vector<std::vector<Node>>& rows) {
    Marks marks(graph.nodes());
    std::vector<Node> targets, found;
    for (int64_t v = begin; v < end; ++v) {
      // In topological order: what an earlier target reaches is no arc of the reduction; after the last nothing counts.
      targets.assign(graph.row(v).begin(), graph.row(v).end());
      std::ranges::sort(targets, {}, [&](Node node) { return place[node]; });
      const int64_t last = targets.empty() ? 0 : place[targets.back()];
      found.clear();
      for (Node target : targets) {
        if (marks.marked(target)) continue;
        rows[v].push_back(target);
        size_t at = found.size();
        marks.mark(target);
        found.push_back(target);
        for (; at < found.size(); ++at)
          for (Node next : graph.row(found[at]))
            if (place[next] <= last && marks.mark(next)) found.push_back(next);
      }
      marks.clear(found);
      std::ranges::sort(rows[v]);
    }
  });
}

Csr truss(CsrView simple, int64_t k) {
  // Counts of triangles, one an arc; an arc goes when its count falls below k - 2, and takes one from two others each.
  const int64_t nodes = simple.nodes();
  const auto arc_of = [&](Node from, Node to) {
    const auto row = simple.row(from);
    return simple.begin(from) + (std::ranges::lower_bound(row, to) - row.begin());
  };
  std::vector<int64_t> support(simple.arcs());
  std::vector<uint8_t> gone(simple.arcs());
  const auto each_triangle = [&](Node u, Node v, auto&& body) {
    const auto left = simple.row(u), right = simple.row(v);
    for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
      if (left[i] == right[j])
        body(left[i], simple.begin(u) + static_cast<int64_t>(i), simple.begin(v) + static_cast<int64_t>(j));
      const bool forward = left[i] <= right[j], other = right[j] <= left[i];
      i += forward;
      j += other;
    }
  };
  auto count = [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      for (int64_t a = simple.begin(v); a < simple.end(v); ++a)
        each_triangle(static_cast<Node>(v), simple.targets[a], [&](Node, int64_t, int64_t) { ++support[a]; });
  };
  runtime::parallel_for(nodes, 256, count);
  std::vector<std::pair<Node, Node>> weak;
  const auto drop = [&](Node u, Node v) {
    const int64_t there = arc_of(u, v), back = arc_of(v, u);
    if (gone[there]) return;
    gone[there] = gone[back] = 1;
    weak.emplace_back(u, v);
  };
  for (int64_t v = 0; v < nodes; ++v)
    for (int64_t a = simple.begin(v); a < simple.end(v); ++a)
      if (simple.targets[a] > v && support[a] < k - 2) drop(static_cast<Node>(v), simple.targets[a]);
  std::vector<uint8_t> counted(simple.arcs());  // whether the arc's own triangles were taken away
  while (!weak.empty()) {
    const auto [u, v] = weak.back();
    weak.pop_back();
    counted[arc_of(u, v)] = counted[arc_of(v, u)] = 1;
    each_triangle(u, v, [&](Node w, int64_t at_u, int64_t at_v) {
      if (counted[at_u] || counted[at_v]) return;
      for (const auto& [end, arc] : {std::pair{u, at_u}, std::pair{v, at_v}}) {
        --support[arc];
        --support[arc_of(w, end)];
        if (support[arc] < k - 2) drop(end, w);
      }
    });
  }
  std::vector<std::vector<Node>> rows(nodes);
  for (int64_t v = 0; v < nodes; ++v)
    for (int64_t a = simple.begin(v); a < simple.end(v); ++a)
      if (!gone[a]) rows[v].push_back(simple.targets[a]);
  return join(rows);
}

Csr projection(CsrView graph, std::span<const Node> chosen, std::vector<int64_t>& common) {
  std::vector<std::vector<Node>> rows(chosen.size());
  std::vector<std::vector<int64_t>> counts(chosen.size());
  auto body = [&](int64_t begin, int64_t end) {
    std::vector<int64_t> shared(graph.nodes());
    for (int64_t i = begin; i < end; ++i) {
      auto& row = rows[i];
      for (Node between : graph.row(chosen[i]))
        for (Node other : graph.row(between))
          if (other != chosen[i] && shared[other]++ == 0) row.push_back(other);
      std::ranges::sort(row);
      for (Node other : row) {
        counts[i].push_back(shared[other]);
        shared[other] = 0;
      }
    }
  };
  runtime::parallel_for(static_cast<int64_t>(chosen.size()), 64, body);
  common.clear();
  for (const auto& each : counts) common.insert(common.end(), each.begin(), each.end());
  return join(rows);
}

}  // namespace tessera::routines::networks
