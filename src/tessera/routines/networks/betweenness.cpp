#include "tessera/routines/networks/betweenness.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "tessera/routines/networks/traversal.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

namespace {

/// One search at a time: the nodes in the order of their distance, the arcs that shortest paths use, and how many
/// paths lead to each node. What a search leaves behind is cleared by the next one's `begin`.
class PathCount {
 public:
  explicit PathCount(const BetweennessRequest& request)
      : request_(request),
        graph_(request.graph),
        level_(graph_.nodes(), unseen),
        paths_(graph_.nodes()),
        share_(graph_.nodes()) {
    if (request.weights.empty()) return;
    distance_.resize(graph_.nodes());
    before_.resize(graph_.nodes());
  }

  void search(Node source) {
    for (Node node : order_) {
      level_[node] = unseen;
      paths_[node] = share_[node] = 0;
    }
    order_.clear();
    if (request_.weights.empty())
      breadth_first(source);
    else
      by_distance(source);
  }

  /// Shares, from the farthest node on: add_node(node, share), and add_arc(arc, share) for the arcs of shortest paths.
  template <class AddNode, class AddArc>
  void share_out(AddNode add_node, AddArc add_arc) {
    if (request_.weights.empty())
      share_by_levels(add_node, add_arc);
    else
      share_by_predecessors(add_node, add_arc);
  }

  size_t reached() const { return order_.size(); }

 private:
  static constexpr int32_t unseen = -1, waiting = -2, settled = 0;

  double wanted(Node node) const { return request_.targets.empty() || request_.targets[node] ? 1 : 0; }

  void breadth_first(Node source) {
    order_.push_back(source);
    level_[source] = 0;
    paths_[source] = 1;
    for (size_t at = 0; at < order_.size(); ++at) {
      const Node node = order_[at];
      const int32_t below = level_[node] + 1;
      for (Node next : graph_.row(node)) {
        if (level_[next] == unseen) {
          level_[next] = below;
          order_.push_back(next);
        }
        if (level_[next] == below) paths_[next] += paths_[node];
      }
    }
  }

  template <class AddNode, class AddArc>
  void share_by_levels(AddNode add_node, AddArc add_arc) {
    // Shares are added from the nodes below, the last of them first, as they would be by going from each to its
    // predecessors.
    for (size_t at = order_.size(); at-- > 0;) {
      const Node node = order_[at];
      const int32_t below = level_[node] + 1;
      double share = 0;
      for (int64_t a = graph_.begin(node); a < graph_.end(node); ++a) {
        const Node next = graph_.targets[a];
        if (level_[next] != below) continue;
        const double part = paths_[node] * ((wanted(next) + share_[next]) / paths_[next]);
        add_arc(a, part);
        share += part;
      }
      share_[node] = share;
      add_node(node, share);
    }
  }

  void by_distance(Node source) {
    using Entry = std::pair<std::pair<double, int64_t>, std::pair<Node, Node>>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    int64_t count = 0;
    for (Node node : touched_) {
      level_[node] = unseen;
      before_[node].clear();
    }
    touched_.assign(1, source);
    paths_[source] = 1;
    distance_[source] = 0;
    level_[source] = waiting;
    queue.push({{0.0, count++}, {source, source}});
    while (!queue.empty()) {
      const auto [key, arc] = queue.top();
      queue.pop();
      const auto [from, node] = arc;
      if (level_[node] == settled) continue;
      paths_[node] += paths_[from];
      order_.push_back(node);
      level_[node] = settled;
      for (int64_t a = graph_.begin(node); a < graph_.end(node); ++a) {
        const Node next = graph_.targets[a];
        const double length = key.first + request_.weights[a];
        if (level_[next] != settled && (level_[next] == unseen || length < distance_[next])) {
          if (level_[next] == unseen) touched_.push_back(next);
          level_[next] = waiting;
          distance_[next] = length;
          queue.push({{length, count++}, {node, next}});
          paths_[next] = 0;
          before_[next].assign(1, {node, a});
        } else if (length == distance_[next]) {
          paths_[next] += paths_[node];
          before_[next].push_back({node, a});
        }
      }
    }
  }

  template <class AddNode, class AddArc>
  void share_by_predecessors(AddNode add_node, AddArc add_arc) {
    for (size_t at = order_.size(); at-- > 0;) {
      const Node node = order_[at];
      const double part = (wanted(node) + share_[node]) / paths_[node];
      for (const auto& [from, arc] : before_[node]) {
        const double share = paths_[from] * part;
        add_arc(arc, share);
        share_[from] += share;
      }
      // Arcs of length zero may still add to a node that is done: NetworkX does not count that.
      add_node(node, share_[node]);
    }
  }

  const BetweennessRequest& request_;
  CsrView graph_;
  std::vector<int32_t> level_;
  std::vector<double> paths_, share_, distance_;
  std::vector<std::vector<std::pair<Node, int64_t>>> before_;
  std::vector<Node> order_, touched_;
};

/// What one source contributes, kept until its turn to be added.
struct Contribution {
  std::vector<double> nodes, arcs;
};

void contribute(const BetweennessRequest& request, PathCount& count, Node source, Contribution& result) {
  if (request.nodes) std::ranges::fill(result.nodes, 0);
  if (request.arcs) std::ranges::fill(result.arcs, 0);
  count.search(source);
  const double at_ends = request.endpoints ? 1 : 0;
  count.share_out(
      [&](Node node, double share) {
        if (request.nodes && node != source) result.nodes[node] = share + at_ends;
      },
      [&](int64_t arc, double share) {
        if (request.arcs) result.arcs[arc] = share;
      });
  if (request.nodes && request.endpoints) result.nodes[source] = static_cast<double>(count.reached()) - 1;
}

void add(const std::vector<Contribution>& parts, size_t count, std::vector<double> Contribution::* kind,
         std::vector<double>& sums) {
  auto body = [&](int64_t begin, int64_t end) {
    for (size_t p = 0; p < count; ++p)
      for (int64_t i = begin; i < end; ++i) sums[i] += (parts[p].*kind)[i];
  };
  runtime::parallel_for(static_cast<int64_t>(sums.size()), 4096, body);
}

}  // namespace

void add_betweenness(const BetweennessRequest& request, std::span<const Node> sources, BetweennessSums& sums) {
  const size_t nodes = request.nodes ? request.graph.nodes() : 0, arcs = request.arcs ? request.graph.arcs() : 0;
  sums.nodes.resize(nodes);
  sums.arcs.resize(arcs);
  const size_t threads = static_cast<size_t>(std::max(1, runtime::thread_count()));
  const size_t together = std::min(sources.size(), 2 * threads);
  std::vector<Contribution> parts(together, {std::vector<double>(nodes), std::vector<double>(arcs)});
  std::vector<PathCount> counts(threads, PathCount(request));
  for (size_t first = 0; first < sources.size(); first += together) {
    const size_t count = std::min(together, sources.size() - first);
    auto body = [&](int64_t begin, int64_t end) {
      PathCount& own = counts.at(runtime::thread_number());
      for (int64_t i = begin; i < end; ++i) contribute(request, own, sources[first + i], parts[i]);
    };
    runtime::parallel_for(static_cast<int64_t>(count), 1, body);
    if (request.nodes) add(parts, count, &Contribution::nodes, sums.nodes);
    if (request.arcs) add(parts, count, &Contribution::arcs, sums.arcs);
  }
}

std::vector<double> load(CsrView graph, std::span<const Node> sources) {
  const int64_t nodes = graph.nodes();
  const size_t together = 2 * static_cast<size_t>(std::max(1, runtime::thread_count()));
  std::vector<double> result(nodes);
  std::vector<std::vector<double>> parts(together, std::vector<double>(nodes));
  const auto pass_on = [&](Node source, std::vector<double>& units) {
    Marks marks(nodes);
    Search search;
    breadth_first(graph, {&source, 1}, no_limit, marks, search);
    std::vector<int64_t> level(nodes, -1), before(nodes);
    for (size_t at = 0; at + 1 < search.levels.size(); ++at)
      for (int64_t i = search.levels[at]; i < search.levels[at + 1]; ++i)
        level[search.order[i]] = static_cast<int64_t>(at);
    std::ranges::fill(units, 0);
    for (Node node : search.order) {
      units[node] = 1;
      for (Node next : graph.row(node)) before[next] += level[next] == level[node] + 1;
    }
    for (size_t i = search.order.size(); i-- > 1;) {
      const Node node = search.order[i];
      for (Node next : graph.row(node))
        if (level[next] == level[node] + 1) units[node] += units[next] / static_cast<double>(before[next]);
    }
    for (Node node : search.order) units[node] -= 1;
  };
  for (size_t first = 0; first < sources.size(); first += together) {
    const size_t count = std::min(together, sources.size() - first);
    auto body = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) pass_on(sources[first + i], parts[i]);
    };
    runtime::parallel_for(static_cast<int64_t>(count), 1, body);
    for (size_t p = 0; p < count; ++p)
      for (int64_t v = 0; v < nodes; ++v) result[v] += parts[p][v];
  }
  return result;
}

}  // namespace tessera::routines::networks
