#include "tessera/routines/networks/structure.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

namespace {

/// One array of `size` zeros for each thread, made when the thread first asks.
template <class Value>
class ThreadArrays {
 public:
  explicit ThreadArrays(int64_t size) : size_(size), arrays_(runtime::thread_count()) {}

  std::vector<Value>& own() {
    auto& array = arrays_.at(runtime::thread_number());
    if (array.empty()) array.resize(size_);
    return array;
  }
  const std::vector<std::vector<Value>>& all() const { return arrays_; }

 private:
  int64_t size_;
  std::vector<std::vector<Value>> arrays_;
};

/// Rows that lead from each node only to nodes of higher degree, in numbers by degree: no row is long.
struct Upward {
  Csr rows;
  std::vector<Node> order;  ///< the node of each number
};

Upward orient_by_degree(CsrView graph) {
  Upward result{.rows = {}, .order = order_by_degree(graph)};
  const int64_t nodes = graph.nodes();
  std::vector<Node> place(nodes);
  for (int64_t i = 0; i < nodes; ++i) place[result.order[i]] = static_cast<Node>(i);
  auto& [offsets, targets] = result.rows;
  offsets.assign(nodes + 1, 0);
  for (int64_t i = 0; i < nodes; ++i) {
    int64_t count = 0;
    for (Node next : graph.row(result.order[i])) count += place[next] > i;
    offsets[i + 1] = offsets[i] + count;
  }
  targets.resize(offsets[nodes]);
  auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Node* out = targets.data() + offsets[i];
      for (Node next : graph.row(result.order[i]))
        if (place[next] > i) *out++ = place[next];
    }
  };
  runtime::parallel_for(nodes, 1024, fill);
  return result;
}

}  // namespace

std::vector<int64_t> core_numbers(CsrView graph, CsrView back) {
  const int64_t nodes = graph.nodes();
  const bool both = back.offsets.size() > 1;
  std::vector<int64_t> core(nodes), place(nodes);
  int64_t largest = 0;
  for (int64_t v = 0; v < nodes; ++v) {
    core[v] = graph.degree(v) + (both ? back.degree(v) : 0);
    largest = std::max(largest, core[v]);
  }
  // begins[d]: where the nodes of degree d and more begin in `order`.
  std::vector<int64_t> begins(largest + 2);
  for (int64_t v = 0; v < nodes; ++v) ++begins[core[v] + 1];
  for (int64_t d = 0; d <= largest; ++d) begins[d + 1] += begins[d];
  std::vector<Node> order(nodes);
  std::vector<int64_t> next = begins;
  for (int64_t v = 0; v < nodes; ++v) order[place[v] = next[core[v]]++] = static_cast<Node>(v);
  auto lower = [&](Node node) {
    const int64_t begin = begins[core[node]]++;
    const Node first = order[begin];
    std::swap(order[begin], order[place[node]]);
    std::swap(place[first], place[node]);
    --core[node];
  };
  for (int64_t i = 0; i < nodes; ++i) {
    const Node node = order[i];
    for (Node u : graph.row(node))
      if (core[u] > core[node]) lower(u);
    if (!both) continue;
    for (Node u : back.row(node))
      if (core[u] > core[node]) lower(u);
  }
  return core;
}

std::vector<int64_t> triangles(CsrView simple) {
  const int64_t nodes = simple.nodes();
  const Upward upward = orient_by_degree(simple);
  const CsrView rows = upward.rows.view();
  ThreadArrays<int64_t> counts(nodes);
  ThreadArrays<uint8_t> marks(nodes);
  auto body = [&](int64_t begin, int64_t end) {
    auto& count = counts.own();
    auto& mark = marks.own();
    for (int64_t u = begin; u < end; ++u) {
      for (Node v : rows.row(u)) mark[v] = 1;
      int64_t at_u = 0;
      for (Node v : rows.row(u)) {
        int64_t at_v = 0;
        for (Node w : rows.row(v)) {
          at_v += mark[w];
          count[w] += mark[w];
        }
        count[v] += at_v;
        at_u += at_v;
      }
      count[u] += at_u;
      for (Node v : rows.row(u)) mark[v] = 0;
    }
  };
  runtime::parallel_for(nodes, 256, body);
  std::vector<int64_t> result(nodes);
  for (const auto& count : counts.all()) {
    if (count.empty()) continue;
    for (int64_t i = 0; i < nodes; ++i) result[upward.order[i]] += count[i];
  }
  return result;
}

std::vector<double> weighted_triangles(CsrView graph, std::span<const double> weights, double largest) {
  const int64_t nodes = graph.nodes();
  std::vector<double> result(nodes);
  ThreadArrays<int64_t> arcs(nodes);  // of the node at hand to each neighbour, plus one
  auto body = [&](int64_t begin, int64_t end) {
    auto& arc = arcs.own();
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t a = graph.begin(i); a < graph.end(i); ++a)
        if (graph.targets[a] != i) arc[graph.targets[a]] = a + 1;
      double sum = 0;
      for (int64_t a = graph.begin(i); a < graph.end(i); ++a) {
        const Node j = graph.targets[a];
        if (j == i) continue;
        const double wij = weights[a] / largest;
        for (int64_t b = graph.begin(j); b < graph.end(j); ++b) {
          const Node k = graph.targets[b];
          // Each pair once: at the neighbour that comes first in the row of i.
          if (k != j && arc[k] > a + 1)
            sum += std::cbrt(wij * (weights[b] / largest) * (weights[arc[k] - 1] / largest));
        }
      }
      result[i] = 2 * sum;
      for (Node j : graph.row(i)) arc[j] = 0;
    }
  };
  runtime::parallel_for(nodes, 64, body);
  return result;
}

namespace {

/// Arcs of the node at hand from and to each neighbour, plus one.
struct NeighbourArcs {
  int64_t in = 0, out = 0;
};

/// The part of triangles at node i over its neighbour j, once for each arc between them.
class TriangleSum {
 public:
  TriangleSum(CsrView graph, CsrView back, std::span<const double> out, std::span<const double> in, double largest)
      : graph_(graph), back_(back), out_(out), in_(in), largest_(largest) {}

  double over(Node j, const std::vector<NeighbourArcs>& arcs) const {
    double sum = 0;
    for (int64_t b = back_.begin(j); b < back_.end(j); ++b)
      sum += pair(arcs[j], back_.targets[b], j, weight(in_, b), arcs);
    for (int64_t b = graph_.begin(j); b < graph_.end(j); ++b)
      sum += pair(arcs[j], graph_.targets[b], j, weight(out_, b), arcs);
    return sum;
  }

 private:
  double weight(std::span<const double> weights, int64_t arc) const {
    return weights.empty() ? 1.0 : weights[arc] / largest_;
  }

  double pair(NeighbourArcs first, Node k, Node j, double between, const std::vector<NeighbourArcs>& arcs) const {
    const NeighbourArcs second = arcs[k];
    if (k == j || (second.in == 0 && second.out == 0)) return 0;
    if (in_.empty())
      return static_cast<double>(((first.in > 0) + (first.out > 0)) * ((second.in > 0) + (second.out > 0)));
    double sum = 0;
    const auto add = [&](double to_first) {
      if (second.in) sum += std::cbrt(to_first * weight(in_, second.in - 1) * between);
      if (second.out) sum += std::cbrt(to_first * weight(out_, second.out - 1) * between);
    };
    if (first.in) add(weight(in_, first.in - 1));
    if (first.out) add(weight(out_, first.out - 1));
    return sum;
  }

  CsrView graph_, back_;
  std::span<const double> out_, in_;
  double largest_;
};

}  // namespace

DirectedTriangles directed_triangles(CsrView graph, CsrView back, std::span<const double> out_weights,
                                     std::span<const double> in_weights, double largest) {
  const int64_t nodes = graph.nodes();
  DirectedTriangles result{std::vector<double>(nodes), std::vector<int64_t>(nodes), std::vector<int64_t>(nodes)};
  const TriangleSum sums(graph, back, out_weights, in_weights, largest);
  ThreadArrays<NeighbourArcs> neighbours(nodes);
  auto body = [&](int64_t begin, int64_t end) {
    auto& arcs = neighbours.own();
    std::vector<Node> touched;
    for (int64_t i = begin; i < end; ++i) {
      touched.clear();
      for (int64_t a = back.begin(i); a < back.end(i); ++a) {
        const Node j = back.targets[a];
        if (j == i) continue;
        arcs[j].in = a + 1;
        touched.push_back(j);
      }
      for (int64_t a = graph.begin(i); a < graph.end(i); ++a) {
        const Node j = graph.targets[a];
        if (j == i) continue;
        if (arcs[j].in == 0) touched.push_back(j);
        arcs[j].out = a + 1;
      }
      double sum = 0;
      for (Node j : touched) {
        sum += sums.over(j, arcs);
        result.degrees[i] += (arcs[j].in > 0) + (arcs[j].out > 0);
        result.mutual[i] += arcs[j].in > 0 && arcs[j].out > 0;
      }
      result.triangles[i] = sum;
      for (Node j : touched) arcs[j] = {};
    }
  };
  runtime::parallel_for(nodes, 64, body);
  return result;
}

std::vector<double> square_clustering(CsrView simple) {
  const int64_t nodes = simple.nodes();
  std::vector<double> result(nodes);
  ThreadArrays<int64_t> counts(nodes);
  auto body = [&](int64_t begin, int64_t end) {
    auto& count = counts.own();  // paths of two arcs from the node at hand
    std::vector<Node> touched;
    for (int64_t v = begin; v < end; ++v) {
      const int64_t others = simple.degree(v) - 1;
      if (others <= 0) continue;
      int64_t degrees = 0, closed = 0, squares = 0;
      touched.clear();
      for (Node u : simple.row(v)) {
        degrees += simple.degree(u) * others;
        for (Node x : simple.row(u)) {
          if (x != v && count[x]++ == 0) touched.push_back(x);
        }
      }
      for (Node u : simple.row(v)) closed += count[u];
      for (Node x : touched) squares += count[x] * (count[x] - 1);
      for (Node x : touched) count[x] = 0;
      squares /= 2;
      const int64_t possible = degrees - (others + 1) * others - closed - squares;
      if (possible > 0) result[v] = static_cast<double>(squares) / static_cast<double>(possible);
    }
  };
  runtime::parallel_for(nodes, 16, body);
  return result;
}

void common_neighbours(std::span<const Node> left, std::span<const Node> right, std::vector<Node>& result) {
  result.clear();
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(result));
}

}  // namespace tessera::routines::networks
