#include "tessera/routines/networks/traversal.h"

#include <algorithm>
#include <utility>

namespace tessera::routines::networks {

void breadth_first(CsrView graph, std::span<const Node> sources, int64_t depth, Marks& marks, Search& result) {
  auto& [order, parents, levels] = result;
  order.clear();
  parents.clear();
  levels.assign(1, 0);
  for (Node source : sources) {
    if (!marks.mark(source)) continue;
    order.push_back(source);
    parents.push_back(no_node);
  }
  size_t at = 0;
  for (int64_t level = 0; at < order.size() && level < depth; ++level) {
    const size_t end = order.size();
    levels.push_back(static_cast<int64_t>(end));
    for (; at < end; ++at) {
      const Node node = order[at];
      for (Node next : graph.row(node)) {
        if (!marks.mark(next)) continue;
        order.push_back(next);
        parents.push_back(node);
      }
    }
  }
  if (levels.back() != static_cast<int64_t>(order.size())) levels.push_back(static_cast<int64_t>(order.size()));
  marks.clear(order);
}

void breadth_first_onward(CsrView graph, CsrView back, Node source, Marks& marks, std::vector<Node>& order) {
  size_t at = order.size();
  if (!marks.mark(source)) return;
  order.push_back(source);
  const bool both = back.offsets.size() > 1;
  for (; at < order.size(); ++at) {
    const Node node = order[at];
    for (Node next : graph.row(node))
      if (marks.mark(next)) order.push_back(next);
    if (!both) continue;
    for (Node next : back.row(node))
      if (marks.mark(next)) order.push_back(next);
  }
}

namespace {

/// One end of a search from both: what it has reached, from where.
struct SearchSide {
  std::vector<Node> frontier, from;

  SearchSide(int64_t nodes, Node start) : frontier{start}, from(nodes, unreached) { from[start] = no_node; }
  bool reached(Node node) const { return from[node] != unreached; }

  static constexpr Node unreached = -2;
};

/// One step; returns the node at which it meets the other side, or no_node.
Node step(CsrView graph, SearchSide& side, const SearchSide& other) {
  const std::vector<Node> level = std::move(side.frontier);
  side.frontier.clear();
  for (Node node : level) {
    for (Node next : graph.row(node)) {
      if (!side.reached(next)) {
        side.frontier.push_back(next);
        side.from[next] = node;
      }
      if (other.reached(next)) return next;
    }
  }
  return no_node;
}

}  // namespace

std::vector<Node> path_between(CsrView graph, CsrView back, Node source, Node target) {
  if (source == target) return {source};
  SearchSide forward(graph.nodes(), source), backward(graph.nodes(), target);
  Node middle = no_node;
  while (middle == no_node && !forward.frontier.empty() && !backward.frontier.empty())
    middle = forward.frontier.size() <= backward.frontier.size() ? step(graph, forward, backward)
                                                                 : step(back, backward, forward);
  std::vector<Node> path;
  if (middle == no_node) return path;
  for (Node node = middle; node != no_node; node = forward.from[node]) path.push_back(node);
  std::ranges::reverse(path);
  for (Node node = backward.from[middle]; node != no_node; node = backward.from[node]) path.push_back(node);
  return path;
}

DepthFirst depth_first(CsrView graph, std::span<const Node> sources, int64_t depth) {
  DepthFirst result;
  Marks marks(graph.nodes());
  std::vector<int64_t> next(graph.nodes());
  std::vector<Node> stack;
  for (Node source : sources) {
    if (!marks.mark(source)) continue;
    result.order.push_back(source);
    result.parents.push_back(no_node);
    stack.assign(1, source);
    next[source] = graph.begin(source);
    while (!stack.empty()) {
      const Node node = stack.back();
      bool entered = false;
      while (!entered && next[node] < graph.end(node)) {
        const Node child = graph.targets[next[node]++];
        if (!marks.mark(child)) continue;
        result.order.push_back(child);
        result.parents.push_back(node);
        if (static_cast<int64_t>(stack.size()) < depth) {
          next[child] = graph.begin(child);
          stack.push_back(child);
          entered = true;
        }
      }
      if (entered) continue;
      result.postorder.push_back(node);
      stack.pop_back();
    }
  }
  return result;
}

Search topological_layers(CsrView graph) {
  Search result;
  std::vector<int64_t> waiting(graph.nodes());
  for (Node target : graph.targets) ++waiting[target];
  for (int64_t v = 0; v < graph.nodes(); ++v)
    if (waiting[v] == 0) result.order.push_back(static_cast<Node>(v));
  result.levels.assign(1, 0);
  size_t at = 0;
  while (at < result.order.size()) {
    const size_t end = result.order.size();
    result.levels.push_back(static_cast<int64_t>(end));
    for (; at < end; ++at)
      for (Node child : graph.row(result.order[at]))
        if (--waiting[child] == 0) result.order.push_back(child);
  }
  return result;
}

bool two_colours(CsrView graph, std::vector<int8_t>& colours) {
  colours.assign(graph.nodes(), -1);
  std::vector<Node> queue;
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    if (colours[v] >= 0) continue;
    colours[v] = graph.degree(v) == 0 ? 0 : 1;
    queue.assign(1, static_cast<Node>(v));
    while (!queue.empty()) {
      const Node node = queue.back();
      queue.pop_back();
      for (Node next : graph.row(node)) {
        if (colours[next] == colours[node]) return false;
        if (colours[next] >= 0) continue;
        colours[next] = static_cast<int8_t>(1 - colours[node]);
        queue.push_back(next);
      }
    }
  }
  return true;
}

}  // namespace tessera::routines::networks
