#include "tessera/routines/networks/communities.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::routines::networks {

WeightedEdges edges_of(CsrView graph, std::span<const double> weights, bool directed) {
  WeightedEdges result{.nodes = graph.nodes(), .from = {}, .to = {}, .weights = {}};
  result.from.reserve(graph.arcs());
  result.to.reserve(graph.arcs());
  result.weights.reserve(graph.arcs());
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      if (!directed && graph.targets[a] < v) continue;
      result.from.push_back(static_cast<Node>(v));
      result.to.push_back(graph.targets[a]);
      result.weights.push_back(weights.empty() ? 1.0 : weights[a]);
    }
  }
  return result;
}

LouvainLevel::LouvainLevel(WeightedEdges edges, bool directed)
    : edges_(std::move(edges)), directed_(directed), count_(edges_.nodes), community_(edges_.nodes) {
  std::iota(community_.begin(), community_.end(), 0);
  sum_weights();
}

double LouvainLevel::total_weight() const { return std::accumulate(edges_.weights.begin(), edges_.weights.end(), 0.0); }

void LouvainLevel::sum_weights() {
  out_.assign(edges_.nodes, 0);
  in_.assign(directed_ ? edges_.nodes : 0, 0);
  for (size_t e = 0; e < edges_.from.size(); ++e) {
    out_[edges_.from[e]] += edges_.weights[e];
    (directed_ ? in_ : out_)[edges_.to[e]] += edges_.weights[e];
  }
}

void LouvainLevel::make_rows(std::span<const Node> order) {
  const auto& [nodes, from, to, weights] = edges_;
  std::vector<Node> place(nodes);
  for (int64_t i = 0; i < nodes; ++i) place[order[i]] = static_cast<Node>(i);
  rows_.offsets.assign(nodes + 1, 0);
  for (size_t e = 0; e < from.size(); ++e) {
    if (from[e] == to[e]) continue;
    ++rows_.offsets[place[from[e]] + 1];
    ++rows_.offsets[place[to[e]] + 1];
  }
  std::partial_sum(rows_.offsets.begin(), rows_.offsets.end(), rows_.offsets.begin());
  const bool ones = std::ranges::all_of(weights, [](double weight) { return weight == 1; });
  rows_.targets.resize(rows_.offsets[nodes]);
  rows_.weights.resize(ones ? 0 : rows_.targets.size());
  std::vector<int64_t> next(rows_.offsets.begin(), rows_.offsets.end() - 1);
  const auto add = [&](size_t e, Node node, Node other) {
    if (node == other) return;
    const int64_t arc = next[place[node]]++;
    rows_.targets[arc] = other;
    if (!ones) rows_.weights[arc] = edges_.weights[e];
  };
  for (size_t e = 0; e < from.size(); ++e) {
    add(e, from[e], to[e]);
    if (!directed_) add(e, to[e], from[e]);
  }
  if (directed_)
    for (size_t e = 0; e < from.size(); ++e) add(e, to[e], from[e]);
}

std::span<const Node> LouvainLevel::gather(size_t place) {
  const Node* community = community_.data();
  const Node* targets = rows_.targets.data();
  const double* weights = rows_.weights.empty() ? nullptr : rows_.weights.data();
  double* toward = toward_.data();
  Node* near = near_.data();
  size_t count = 0;
  for (int64_t a = rows_.offsets[place]; a < rows_.offsets[place + 1]; ++a) {
    const Node there = community[targets[a]];
    const double before = toward[there];
    // Arcs of weight zero may list a community twice, which changes nothing. No branch: it could not be predicted.
    near[count] = there;
    count += before == 0;
    toward[there] = before + (weights ? weights[a] : 1.0);
  }
  return {near, count};
}

bool LouvainLevel::sweep(std::span<const Node> order, double total, double resolution) {
  const double square = total * total;
  bool moved = false;
  const bool all = waiting_.empty();
  for (size_t i = 0; i < order.size(); ++i) {
    const Node node = order[i], own = community_[node];
    if (!all && !std::exchange(waiting_[node], 0)) continue;
    const std::span<const Node> near = gather(i);
    const double out = out_[node], in = directed_ ? in_[node] : 0;
    total_out_[own] -= out;
    if (directed_) total_in_[own] -= in;
    const auto expected = [&](Node community) {
      return directed_ ? resolution * (out * total_in_[community] + in * total_out_[community]) / square
                       : resolution * (total_out_[community] * out) / (2 * square);
    };
    const double removal = -toward_[own] / total + expected(own);
    double best = 0;
    Node target = own;
    for (Node community : near) {
      const double gain = removal + toward_[community] / total - expected(community);
      if (gain > best) {
        best = gain;
        target = community;
      }
    }
    for (Node community : near) toward_[community] = 0;
    total_out_[target] += out;
    if (directed_) total_in_[target] += in;
    community_[node] = target;
    if (target == own) continue;
    moved = true;
    if (all) continue;
    for (int64_t a = rows_.offsets[i]; a < rows_.offsets[i + 1]; ++a)
      if (const Node other = rows_.targets[a]; community_[other] != target) waiting_[other] = 1;
  }
  return moved;
}

bool LouvainLevel::move_nodes(std::span<const Node> order, double total, double resolution) {
  total_out_.assign(edges_.nodes, 0);
  total_in_.assign(in_.size(), 0);
  for (int64_t v = 0; v < edges_.nodes; ++v) {
    total_out_[community_[v]] += out_[v];
    if (directed_) total_in_[community_[v]] += in_[v];
  }
  toward_.assign(edges_.nodes, 0);
  make_rows(order);
  int64_t most = 0;
  for (int64_t i = 0; i < edges_.nodes; ++i) most = std::max(most, rows_.offsets[i + 1] - rows_.offsets[i]);
  near_.resize(most + 1);
  waiting_.assign(rows_.targets.size() > all_arcs ? edges_.nodes : 0, 1);
  bool moved = false;
  while (sweep(order, total, resolution)) moved = true;
  number_communities();
  return moved;
}

void LouvainLevel::number_communities() {
  std::vector<Node> number(edges_.nodes, -1);
  for (Node community : community_) number[community] = 0;
  count_ = 0;
  for (Node& each : number)
    if (each == 0) each = static_cast<Node>(count_++);
  for (Node& community : community_) community = number[community];
}

double LouvainLevel::modularity(double resolution) const {
  std::vector<double> inside(count_), out(count_), in(count_);
  double all = 0;
  for (size_t e = 0; e < edges_.from.size(); ++e) {
    const Node community = community_[edges_.from[e]];
    if (community == community_[edges_.to[e]]) inside[community] += edges_.weights[e];
  }
  for (int64_t v = 0; v < edges_.nodes; ++v) {
    out[community_[v]] += out_[v];
    if (directed_) in[community_[v]] += in_[v];
    all += out_[v];
  }
  const double total = directed_ ? all : all / 2, scale = 1 / (all * all);
  double sum = 0;
  for (int64_t c = 0; c < count_; ++c)
    sum += inside[c] / total - resolution * out[c] * (directed_ ? in[c] : out[c]) * scale;
  return sum;
}

namespace {

/// Numbers of pairs of nodes, by open addressing.
class PairNumbers {
 public:
  explicit PairNumbers(size_t capacity) {
    size_t size = 16;
    while (size < 2 * capacity) size *= 2;
    keys_.assign(size, empty);
    numbers_.resize(size);
  }

  /// The number of the pair, and whether it is new, in which case it gets `number`.
  std::pair<int64_t, bool> number(Node first, Node second, int64_t number) {
    const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(first)) << 32 | static_cast<uint32_t>(second);
    size_t at = (key * 0x9E3779B97F4A7C15ULL >> 20) & (keys_.size() - 1);
    while (keys_[at] != empty && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    if (keys_[at] == key) return {numbers_[at], false};
    keys_[at] = key;
    numbers_[at] = number;
    return {number, true};
  }

 private:
  static constexpr uint64_t empty = ~uint64_t{0};
  std::vector<uint64_t> keys_;
  std::vector<int64_t> numbers_;
};

}  // namespace

WeightedEdges LouvainLevel::contracted() const {
  WeightedEdges result{.nodes = count_, .from = {}, .to = {}, .weights = {}};
  PairNumbers numbers(edges_.from.size());
  const auto add = [&](Node from, Node to, double weight) {
    const Node first = community_[from], second = community_[to];
    const auto [edge, fresh] = directed_ || first <= second
                                   ? numbers.number(first, second, static_cast<int64_t>(result.from.size()))
                                   : numbers.number(second, first, static_cast<int64_t>(result.from.size()));
    if (fresh) {
      result.from.push_back(first);
      result.to.push_back(second);
      result.weights.push_back(weight);
    } else {
      result.weights[edge] += weight;
    }
  };
  // Edges are met node by node, at the node that comes first.
  std::vector<int64_t> begins(edges_.nodes + 1);
  const auto at = [&](size_t e) { return directed_ ? edges_.from[e] : std::min(edges_.from[e], edges_.to[e]); };
  for (size_t e = 0; e < edges_.from.size(); ++e) ++begins[at(e) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<int64_t> order(edges_.from.size());
  for (size_t e = 0; e < edges_.from.size(); ++e) order[begins[at(e)]++] = static_cast<int64_t>(e);
  for (int64_t e : order) {
    Node from = edges_.from[e], to = edges_.to[e];
    if (!directed_ && to < from) std::swap(from, to);
    add(from, to, edges_.weights[e]);
  }
  return result;
}

double modularity(CsrView graph, std::span<const double> weights, bool directed, std::span<const Node> community,
                  int64_t count, double resolution) {
  std::vector<double> inside(count), out(count), in(count);
  double all = 0;
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      const Node u = graph.targets[a];
      const double weight = weights.empty() ? 1.0 : weights[a];
      const double degree = !directed && u == v ? 2 * weight : weight;
      all += degree;
      out[community[v]] += degree;
      in[community[u]] += degree;
      if (community[v] == community[u] && (directed || u >= v)) inside[community[v]] += weight;
    }
  }
  const double total = directed ? all : all / 2, scale = 1 / (all * all);
  double sum = 0;
  for (int64_t c = 0; c < count; ++c)
    sum += inside[c] / total - resolution * out[c] * (directed ? in[c] : out[c]) * scale;
  return sum;
}

}  // namespace tessera::routines::networks
