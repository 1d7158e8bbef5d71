#include "tessera/routines/networks/paths.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "tessera/routines/networks/traversal.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

template <class Length>
Paths<Length> dijkstra(WeightedView<Length> view, const PathRequest<Length>& request) {
  const auto [graph, weights] = view;
  const int64_t nodes = graph.nodes();
  Paths<Length> result{.order = {},
                       .found = {request.sources.begin(), request.sources.end()},
                       .lengths = std::vector<Length>(nodes),
                       .parents = std::vector<Node>(nodes, no_node),
                       .before = std::vector<std::vector<Node>>(request.all_before ? nodes : 0)};
  enum : uint8_t { unseen, waiting, settled };
  std::vector<uint8_t> state(nodes, unseen);
  using Entry = std::tuple<Length, int64_t, Node>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  int64_t count = 0;
  for (Node source : request.sources) {
    state[source] = waiting;
    queue.push({Length{}, count++, source});
  }
  while (!queue.empty()) {
    const auto [length, turn, node] = queue.top();
    queue.pop();
    if (state[node] == settled) continue;
    state[node] = settled;
    result.order.push_back(node);
    if (node == request.target) break;
    for (int64_t a = graph.begin(node); a < graph.end(node); ++a) {
      const Node next = graph.targets[a];
      const Length there = length + weights[a];
      if (request.cutoff && there > *request.cutoff) continue;
      if (state[next] == settled) {
        if (there < result.lengths[next]) {
          result.problem = PathProblem::contradiction;
          return result;
        }
        if (request.all_before && there == result.lengths[next]) result.before[next].push_back(node);
      } else if (state[next] == unseen || there < result.lengths[next]) {
        if (state[next] == unseen) result.found.push_back(next);
        state[next] = waiting;
        result.lengths[next] = there;
        result.parents[next] = node;
        queue.push({there, count++, next});
        if (request.all_before) result.before[next].assign(1, node);
      } else if (request.all_before && there == result.lengths[next]) {
        result.before[next].push_back(node);
      }
    }
  }
  return result;
}

template <class Length>
Paths<Length> settle(WeightedView<Length> view, std::span<const Node> sources, std::vector<Length> lengths,
                     Length none) {
  const auto [graph, weights] = view;
  Paths<Length> result{.order = {},
                       .found = {},
                       .lengths = std::move(lengths),
                       .parents = std::vector<Node>(graph.nodes(), no_node),
                       .before = {}};
  std::vector<uint8_t> waits(graph.nodes());
  // Each node waits once: from where an arc first gives it its length.
  using Entry = std::tuple<Length, int64_t, Node>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  int64_t count = 0;
  for (Node source : sources)
    if (!std::exchange(waits[source], 1)) queue.push({Length{}, count++, source});
  while (!queue.empty()) {
    const Node node = std::get<2>(queue.top());
    queue.pop();
    result.order.push_back(node);
    for (int64_t a = graph.begin(node); a < graph.end(node); ++a) {
      const Node next = graph.targets[a];
      if (waits[next] || result.lengths[node] + weights[a] != result.lengths[next]) continue;
      waits[next] = 1;
      result.parents[next] = node;
      queue.push({result.lengths[next], count++, next});
    }
  }
  for (Length& length : result.lengths)
    if (length == none) length = Length{};
  return result;
}

namespace {

bool is_infinite(double length) { return length == std::numeric_limits<double>::infinity(); }
bool is_infinite(int64_t) { return false; }

}  // namespace

template <class Length>
Paths<Length> bellman_ford(WeightedView<Length> view, std::span<const Node> sources, bool heuristic) {
  const auto [graph, weights] = view;
  const int64_t nodes = graph.nodes();
  Paths<Length> result{.order = {sources.begin(), sources.end()},
                       .found = {},
                       .lengths = std::vector<Length>(nodes),
                       .parents = std::vector<Node>(nodes, no_node),
                       .before = std::vector<std::vector<Node>>(nodes)};
  std::vector<uint8_t> reached(nodes), queued(nodes);
  std::vector<int64_t> entered(nodes);
  std::vector<std::pair<Node, Node>> update(nodes, {no_node, no_node});
  std::deque<Node> queue;
  for (Node source : sources) {
    reached[source] = queued[source] = 1;
    queue.push_back(source);
  }
  while (!queue.empty()) {
    const Node node = queue.front();
    queue.pop_front();
    queued[node] = 0;
    if (std::ranges::any_of(result.before[node], [&](Node before) { return queued[before]; })) continue;
    for (int64_t a = graph.begin(node); a < graph.end(node); ++a) {
      const Node next = graph.targets[a];
      const Length there = result.lengths[node] + weights[a];
      // What lies behind infinite lengths alone is not reached.
      if (reached[next] ? there < result.lengths[next] : !is_infinite(there)) {
        if (heuristic) {
          if (next == update[node].first || next == update[node].second) {
            result.before[next].push_back(node);
            result.problem = PathProblem::negative_cycle;
            return result;
          }
          update[next] = result.parents[next] == node ? update[node] : std::pair{node, next};
        }
        if (!queued[next]) {
          queue.push_back(next);
          queued[next] = 1;
          if (++entered[next] == nodes) {
            result.problem = PathProblem::negative_cycle;
            return result;
          }
        }
        if (!reached[next]) result.order.push_back(next);
        reached[next] = 1;
        result.lengths[next] = there;
        result.parents[next] = node;
        result.before[next].assign(1, node);
      } else if (reached[next] && there == result.lengths[next]) {
        result.before[next].push_back(node);
      }
    }
  }
  return result;
}

namespace {

/// Lengths from one source at a time, where all arcs count 1.
template <class Length>
void reach_by_steps(CsrView graph, Node source, int64_t i, Marks& marks, Search& search, Reach<Length>& result) {
  breadth_first(graph, {&source, 1}, no_limit, marks, search);
  const auto& levels = search.levels;
  double reciprocals = 0;
  int64_t total = 0;
  for (size_t level = 1; level + 1 < levels.size(); ++level) {
    const int64_t count = levels[level + 1] - levels[level];
    total += static_cast<int64_t>(level) * count;
    reciprocals += static_cast<double>(count) / static_cast<double>(level);
  }
  result.counts[i] = static_cast<int64_t>(search.order.size());
  result.totals[i] = static_cast<Length>(total);
  result.farthest[i] = static_cast<Length>(std::max<int64_t>(0, static_cast<int64_t>(levels.size()) - 2));
  result.reciprocals[i] = reciprocals;
}

template <class Length>
bool reach_by_weights(WeightedView<Length> view, Node source, int64_t i, Reach<Length>& result) {
  const auto paths = dijkstra<Length>(view, {.sources = {&source, 1}});
  if (paths.problem != PathProblem::none) return false;
  Length total{}, farthest{};
  double reciprocals = 0;
  for (Node node : paths.order) {
    const Length length = paths.lengths[node];
    total += length;
    farthest = std::max(farthest, length);
    if (length != 0) reciprocals += 1.0 / static_cast<double>(length);
  }
  result.counts[i] = static_cast<int64_t>(paths.order.size());
  result.totals[i] = total;
  result.farthest[i] = farthest;
  result.reciprocals[i] = reciprocals;
  return true;
}

}  // namespace

template <class Length>
Reach<Length> reach_of(WeightedView<Length> view, std::span<const Node> sources) {
  const int64_t count = static_cast<int64_t>(sources.size());
  Reach<Length> result{std::vector<int64_t>(count), std::vector<Length>(count), std::vector<Length>(count),
                       std::vector<double>(count)};
  std::vector<uint8_t> failed(count);
  auto body = [&](int64_t begin, int64_t end) {
    Marks marks(view.weights.empty() ? view.graph.nodes() : 0);
    Search search;
    for (int64_t i = begin; i < end; ++i) {
      if (view.weights.empty())
        reach_by_steps(view.graph, sources[i], i, marks, search, result);
      else
        failed[i] = !reach_by_weights(view, sources[i], i, result);
    }
  };
  runtime::parallel_for(count, 1, body);
  if (std::ranges::any_of(failed, [](uint8_t each) { return each; })) result.problem = PathProblem::contradiction;
  return result;
}

template Paths<int64_t> dijkstra(WeightedView<int64_t>, const PathRequest<int64_t>&);
template Paths<double> dijkstra(WeightedView<double>, const PathRequest<double>&);
template Paths<int64_t> bellman_ford(WeightedView<int64_t>, std::span<const Node>, bool);
template Paths<double> bellman_ford(WeightedView<double>, std::span<const Node>, bool);
template Paths<int64_t> settle(WeightedView<int64_t>, std::span<const Node>, std::vector<int64_t>, int64_t);
template Paths<double> settle(WeightedView<double>, std::span<const Node>, std::vector<double>, double);
template Reach<int64_t> reach_of(WeightedView<int64_t>, std::span<const Node>);
template Reach<double> reach_of(WeightedView<double>, std::span<const Node>);

}  // namespace tessera::routines::networks
