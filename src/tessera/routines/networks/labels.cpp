#include "tessera/routines/networks/labels.h"

#include <algorithm>
#include <deque>
#include <numeric>

namespace tessera::routines::networks {

std::vector<int32_t> greedy_colours(CsrView graph, std::span<const Node> order) {
  std::vector<int32_t> colours(graph.nodes(), -1);
  std::vector<int64_t> taken(graph.nodes() + 1, -1);  // by which node's neighbours
  for (Node node : order) {
    for (Node next : graph.row(node))
      if (colours[next] >= 0) taken[colours[next]] = node;
    int32_t colour = 0;
    while (taken[colour] == node) ++colour;
    colours[node] = colour;
  }
  return colours;
}

namespace {

/// How often each label is among the neighbours of one node at a time.
class Frequencies {
 public:
  explicit Frequencies(int64_t labels) : counts_(labels) {}

  /// The largest label among the most frequent; `own` if that is one of them, or if there is no neighbour.
  Node choose(std::span<const Node> row, std::span<const Node> labels, Node own) {
    Node best = own;
    int64_t most = 0;
    for (Node next : row) most = std::max(most, ++counts_[labels[next]]);
    if (most > 0 && counts_[own] < most) {
      best = no_node;
      for (Node next : row)
        if (counts_[labels[next]] == most) best = std::max(best, labels[next]);
    }
    for (Node next : row) counts_[labels[next]] = 0;
    return best;
  }

 private:
  std::vector<int64_t> counts_;
};

}  // namespace

std::vector<Node> propagate_labels(CsrView graph, std::span<const int32_t> colours,
                                   const std::function<bool()>& go_on) {
  std::vector<Node> labels(graph.nodes()), order(graph.nodes());
  std::iota(labels.begin(), labels.end(), 0);
  order = labels;
  std::ranges::stable_sort(order, {}, [&](Node node) { return colours[node]; });
  Frequencies frequencies(graph.nodes());
  const auto settled = [&] {
    return std::ranges::all_of(
        order, [&](Node node) { return frequencies.choose(graph.row(node), labels, labels[node]) == labels[node]; });
  };
  while (!settled() && go_on())
    for (Node node : order) labels[node] = frequencies.choose(graph.row(node), labels, labels[node]);
  return labels;
}

LabelSpread::LabelSpread(CsrView graph, std::span<const double> weights)
    : graph_(graph), weights_(weights), labels_(graph.nodes()), counts_(graph.nodes(), -1) {
  std::iota(labels_.begin(), labels_.end(), 0);
}

void LabelSpread::find_best(Node node) {
  met_.clear();
  best_.clear();
  for (int64_t a = graph_.begin(node); a < graph_.end(node); ++a) {
    const Node label = labels_[graph_.targets[a]];
    if (counts_[label] == -1) {
      met_.push_back(label);
      counts_[label] = 0;
    }
    counts_[label] += weights_.empty() ? 1.0 : weights_[a];
  }
  double most = 0;
  for (Node label : met_) most = std::max(most, counts_[label]);
  for (Node label : met_) {
    if (counts_[label] == most) best_.push_back(label);
    counts_[label] = -1;
  }
}

bool LabelSpread::visit(std::span<const Node> order, const Draw& draw) {
  bool changed = false;
  for (Node node : order) {
    if (graph_.degree(node) == 0) continue;
    find_best(node);
    if (std::ranges::find(best_, labels_[node]) != best_.end()) continue;
    labels_[node] = best_[draw(static_cast<uint32_t>(best_.size()))];
    changed = true;
  }
  return changed;
}

void LabelSpread::visit_changed(std::span<const Node> order, const Draw& draw) {
  std::deque<Node> queue(order.begin(), order.end());
  std::vector<uint8_t> queued(graph_.nodes(), 1);
  while (!queue.empty()) {
    const Node node = queue.front();
    queue.pop_front();
    queued[node] = 0;
    if (graph_.degree(node) == 0) continue;
    find_best(node);
    const Node label = best_[draw(static_cast<uint32_t>(best_.size()))];
    if (labels_[node] == label) continue;
    labels_[node] = label;
    for (Node next : graph_.row(node)) {
      if (labels_[next] == label || queued[next]) continue;
      queue.push_back(next);
      queued[next] = 1;
    }
  }
}

}  // namespace tessera::routines::networks
