#include <numeric>
#include <utility>

#include "tessera/routines/networks/communities.h"

namespace tessera::routines::networks {

void LouvainLevel::refine(std::span<const Node> order, double total, double resolution) {
  const std::vector<Node> whole = std::move(community_);
  community_.resize(edges_.nodes);
  std::iota(community_.begin(), community_.end(), 0);
  const std::vector<Node>& part = community_;
  // Of communities, and of parts, which are called by the first of their nodes: sums of weights at nodes, what leads
  // from a part to the rest of its community, and how many nodes a part has.
  std::vector<double> whole_sum(edges_.nodes), part_sum = out_, leading(edges_.nodes);
  std::vector<int32_t> size(edges_.nodes, 1);
  for (int64_t v = 0; v < edges_.nodes; ++v) whole_sum[whole[v]] += out_[v];
  const auto each_arc = [&](size_t i, auto&& body) {
    for (int64_t a = rows_.offsets[i]; a < rows_.offsets[i + 1]; ++a)
      if (const Node other = rows_.targets[a]; whole[other] == whole[order[i]])
        body(other, rows_.weights.empty() ? 1.0 : rows_.weights[a]);
  };
  for (size_t i = 0; i < order.size(); ++i) each_arc(i, [&](Node, double weight) { leading[order[i]] += weight; });
  const auto well_connected = [&](Node each, Node community) {
    return leading[each] >= resolution * part_sum[each] * (whole_sum[community] - part_sum[each]) / (2 * total);
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const Node node = order[i], community = whole[node];
    if (size[node] != 1 || part[node] != node || !well_connected(node, community)) continue;
    size_t count = 0;
    each_arc(i, [&](Node other, double weight) {
      const Node there = part[other];
      if (toward_[there] == 0) near_[count++] = there;
      toward_[there] += weight;
    });
    double best = 0;
    Node target = node;
    for (Node there : std::span(near_).first(count)) {
      const double gain = toward_[there] / total - resolution * part_sum[there] * out_[node] / (2 * total * total);
      if (gain > best && well_connected(there, community)) {
        best = gain;
        target = there;
      }
    }
    if (target != node) {
      community_[node] = target;
      leading[target] += leading[node] - 2 * toward_[target];
      part_sum[target] += out_[node];
      size[target] += 1;
      size[node] = 0;
    }
    for (Node there : std::span(near_).first(count)) toward_[there] = 0;
  }
  number_communities();
}

}  // namespace tessera::routines::networks
