#include "tessera/routines/networks/trees.h"

#include <numeric>
#include <utility>

namespace tessera::routines::networks {

std::vector<int64_t> spanning_edges(int64_t nodes, std::span<const Node> from, std::span<const Node> to,
                                    std::span<const int64_t> order) {
  std::vector<Node> parent(nodes);
  std::vector<int64_t> size(nodes, 1), result;
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Node node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (int64_t edge : order) {
    Node left = root(from[edge]), right = root(to[edge]);
    if (left == right) continue;
    if (size[left] < size[right]) std::swap(left, right);
    parent[right] = left;
    size[left] += size[right];
    result.push_back(edge);
  }
  return result;
}

}  // namespace tessera::routines::networks
