#include "tessera/routines/networks/components.h"

#include <algorithm>
#include <numeric>

#include "tessera/routines/networks/traversal.h"

namespace tessera::routines::networks {

Forest::Forest(int64_t nodes) : parents_(nodes) { std::iota(parents_.begin(), parents_.end(), 0); }

Node Forest::likely_largest() {
  const auto nodes = static_cast<int64_t>(parents_.size());
  const int64_t samples = std::min<int64_t>(64, nodes);
  std::vector<Node> roots;
  for (int64_t i = 0; i < samples; ++i) roots.push_back(root(static_cast<Node>(i * (nodes / samples))));
  Node found = 0;
  int64_t most = 0;
  for (const Node each : roots) {
    const int64_t count = std::ranges::count(roots, each);
    if (count <= most) continue;
    most = count;
    found = each;
  }
  return found;
}

std::vector<int64_t> Forest::labels() {
  std::vector<int64_t> result(parents_.size());
  for (size_t v = 0; v < result.size(); ++v) result[v] = root(static_cast<Node>(v));
  return result;
}

namespace {

/// Of an undirected graph. The first arcs of every node join most of the largest component: of its nodes, the others
/// need not be looked at, since each arc is in the row of its other end, too.
std::vector<int64_t> component_labels(CsrView graph) {
  const int64_t nodes = graph.nodes();
  Forest forest(nodes);
  for (int64_t v = 0; v < nodes; ++v)
    for (int64_t a = graph.begin(v); a < std::min(graph.begin(v) + Forest::first_arcs, graph.end(v)); ++a)
      forest.join(static_cast<Node>(v), graph.targets[a]);
  const Node largest = forest.likely_largest();
  for (int64_t v = 0; v < nodes; ++v) {
    if (graph.degree(v) <= Forest::first_arcs || forest.are_joined(static_cast<Node>(v), largest)) continue;
    for (int64_t a = graph.begin(v) + Forest::first_arcs; a < graph.end(v); ++a)
      forest.join(static_cast<Node>(v), graph.targets[a]);
  }
  return forest.labels();
}

}  // namespace

Components connected_components(CsrView graph, CsrView back) {
  if (back.offsets.size() <= 1) return components_by_label(component_labels(graph));
  Components result;
  result.nodes.reserve(graph.nodes());
  Marks marks(graph.nodes());
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    if (marks.marked(static_cast<Node>(v))) continue;
    breadth_first_onward(graph, back, static_cast<Node>(v), marks, result.nodes);
    result.begins.push_back(static_cast<int64_t>(result.nodes.size()));
  }
  return result;
}

Components components_by_label(std::span<const int64_t> labels) {
  const auto nodes = static_cast<int64_t>(labels.size());
  // next[label]: where the next node of the component goes.
  std::vector<int64_t> next(nodes);
  for (int64_t label : labels) ++next[label];
  Components result;
  for (int64_t v = 0; v < nodes; ++v) {
    if (labels[v] != v) continue;
    const int64_t begin = result.begins.back();
    result.begins.push_back(begin + next[v]);
    next[v] = begin;
  }
  result.nodes.resize(nodes);
  for (int64_t v = 0; v < nodes; ++v) result.nodes[next[labels[v]]++] = static_cast<Node>(v);
  return result;
}

Components strong_components(CsrView graph) {
  const int64_t nodes = graph.nodes();
  Components result;
  result.nodes.reserve(nodes);
  // 0: not found; a positive number: on the stack; the largest: in a component.
  constexpr int64_t done = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> number(nodes), low(nodes), next(nodes);
  std::vector<Node> path, open;
  int64_t count = 0;
  auto enter = [&](Node node) {
    number[node] = low[node] = ++count;
    next[node] = graph.begin(node);
    path.push_back(node);
    open.push_back(node);
  };
  for (int64_t v = 0; v < nodes; ++v) {
    if (number[v]) continue;
    enter(static_cast<Node>(v));
    while (!path.empty()) {
      const Node node = path.back();
      bool entered = false;
      while (!entered && next[node] < graph.end(node)) {
        const Node child = graph.targets[next[node]++];
        if (number[child] == 0) {
          enter(child);
          entered = true;
        } else if (number[child] != done) {
          low[node] = std::min(low[node], number[child]);
        }
      }
      if (entered) continue;
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[node]);
      if (low[node] != number[node]) continue;
      Node last;
      do {
        last = open.back();
        open.pop_back();
        number[last] = done;
        result.nodes.push_back(last);
      } while (last != node);
      result.begins.push_back(static_cast<int64_t>(result.nodes.size()));
    }
  }
  return result;
}

namespace {

/// The state of one search for biconnected components.
class BiconnectedSearch {
 public:
  explicit BiconnectedSearch(CsrView graph)
      : graph_(graph), number_(graph.nodes()), low_(graph.nodes()), next_(graph.nodes()) {}

  Biconnected run() {
    for (int64_t v = 0; v < graph_.nodes(); ++v)
      if (number_[v] == 0) search(static_cast<Node>(v));
    return std::move(result_);
  }

 private:
  struct Step {
    Node parent, node;
    size_t edge;
  };

  void enter(Node parent, Node node) {
    number_[node] = low_[node] = ++count_;
    next_[node] = graph_.begin(node);
    steps_.push_back({parent, node, edges_.size()});
    if (parent != no_node) edges_.push_back({parent, node});
  }

  void leave(Node root) {
    const Step step = steps_.back();
    steps_.pop_back();
    if (step.parent == no_node) return;
    low_[step.parent] = std::min(low_[step.parent], low_[step.node]);
    if (low_[step.node] > number_[step.parent]) result_.bridges.push_back(edges_[step.edge]);
    if (low_[step.node] < number_[step.parent]) return;
    for (size_t e = step.edge; e < edges_.size(); ++e) {
      result_.from.push_back(edges_[e].first);
      result_.to.push_back(edges_[e].second);
    }
    edges_.resize(step.edge);
    result_.begins.push_back(static_cast<int64_t>(result_.from.size()));
    if (step.parent != root)
      result_.articulations.push_back(step.parent);
    else
      ++root_children_;
  }

  void search(Node root) {
    root_children_ = 0;
    enter(no_node, root);
    while (!steps_.empty()) {
      const Step step = steps_.back();
      if (next_[step.node] == graph_.end(step.node)) {
        leave(root);
        continue;
      }
      const Node child = graph_.targets[next_[step.node]++];
      if (child == (step.parent == no_node ? step.node : step.parent)) continue;
      if (number_[child] == 0) {
        enter(step.node, child);
      } else if (number_[child] <= number_[step.node]) {
        low_[step.node] = std::min(low_[step.node], number_[child]);
        edges_.push_back({step.node, child});
      }
    }
    if (root_children_ > 1) result_.articulations.push_back(root);
  }

  CsrView graph_;
  std::vector<int64_t> number_, low_, next_;
  std::vector<Step> steps_;
  std::vector<std::pair<Node, Node>> edges_;
  int64_t count_ = 0, root_children_ = 0;
  Biconnected result_;
};

}  // namespace

Biconnected biconnected_components(CsrView graph) { return BiconnectedSearch(graph).run(); }

}  // namespace tessera::routines::networks
