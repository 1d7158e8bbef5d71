#include "tessera/routines/networks/csr.h"

#include <algorithm>
#include <numeric>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

namespace {

/// Fills rows whose lengths were counted into offsets[node + 1].
void add_up(std::vector<int64_t>& offsets) { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

/// Makes a graph from rows that write_row(node, out) writes; rows have at most capacity(node) entries.
template <class Capacity, class WriteRow>
Csr pack_rows(int64_t nodes, Capacity capacity, WriteRow write_row) {
  std::vector<int64_t> room(nodes + 1);
  for (int64_t v = 0; v < nodes; ++v) room[v + 1] = room[v] + capacity(v);
  std::vector<Node> rows(room[nodes]);
  Csr result;
  result.offsets.assign(nodes + 1, 0);
  auto write = [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) result.offsets[v + 1] = write_row(v, rows.data() + room[v]);
  };
  runtime::parallel_for(nodes, 1024, write);
  add_up(result.offsets);
  result.targets.resize(result.offsets[nodes]);
  auto copy = [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      std::copy_n(rows.data() + room[v], result.offsets[v + 1] - result.offsets[v],
                  result.targets.data() + result.offsets[v]);
  };
  runtime::parallel_for(nodes, 4096, copy);
  return result;
}

/// Sorts [begin, end), drops duplicates and `self`; returns how many are left.
int64_t settle_row(Node* begin, Node* end, Node self) {
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  end = std::unique(begin, end);
  return std::remove(begin, end, self) - begin;
}

}  // namespace

Csr transpose(CsrView graph, std::vector<int64_t>* arcs) {
  const int64_t nodes = graph.nodes();
  Csr result;
  result.offsets.assign(nodes + 1, 0);
  for (Node target : graph.targets) ++result.offsets[target + 1];
  add_up(result.offsets);
  result.targets.resize(graph.arcs());
  if (arcs) arcs->resize(graph.arcs());
  std::vector<int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (int64_t v = 0; v < nodes; ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      const int64_t place = next[graph.targets[a]]++;
      result.targets[place] = static_cast<Node>(v);
      if (arcs) (*arcs)[place] = a;
    }
  }
  return result;
}

Csr simple_rows(CsrView graph) {
  return pack_rows(
      graph.nodes(), [&](int64_t v) { return graph.degree(v); },
      [&](int64_t v, Node* out) {
        Node* end = std::copy(graph.row(v).begin(), graph.row(v).end(), out);
        return settle_row(out, end, static_cast<Node>(v));
      });
}

Csr join_rows(CsrView left, CsrView right) {
  return pack_rows(
      left.nodes(), [&](int64_t v) { return left.degree(v) + right.degree(v); },
      [&](int64_t v, Node* out) {
        Node* end = std::copy(left.row(v).begin(), left.row(v).end(), out);
        end = std::copy(right.row(v).begin(), right.row(v).end(), end);
        return settle_row(out, end, static_cast<Node>(v));
      });
}

std::vector<Node> order_by_degree(CsrView graph) {
  const int64_t nodes = graph.nodes();
  int64_t largest = 0;
  for (int64_t v = 0; v < nodes; ++v) largest = std::max(largest, graph.degree(v));
  std::vector<int64_t> next(largest + 2);
  for (int64_t v = 0; v < nodes; ++v) ++next[graph.degree(v) + 1];
  add_up(next);
  std::vector<Node> order(nodes);
  for (int64_t v = 0; v < nodes; ++v) order[next[graph.degree(v)]++] = static_cast<Node>(v);
  return order;
}

}  // namespace tessera::routines::networks
