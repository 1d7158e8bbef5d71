#include "tessera/routines/networks/bidirectional.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

namespace tessera::routines::networks {

namespace {

/// One of the two searches.
template <class Length>
struct Side {
  using Entry = std::tuple<Length, int64_t, Node>;
  enum State : uint8_t { unseen, waiting, settled };

  Side(WeightedView<Length> given, Node start)
      : view(given),
        state(given.graph.nodes(), unseen),
        lengths(given.graph.nodes()),
        parents(given.graph.nodes(), no_node) {
    state[start] = waiting;
    queue.push({Length{}, 0, start});
  }

  WeightedView<Length> view;
  std::vector<uint8_t> state;
  std::vector<Length> lengths;
  std::vector<Node> parents;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

/// Where the searches met so far on the shortest way.
template <class Length>
struct Meeting {
  std::optional<Length> length;
  Node node = no_node;
};

/// Looks at the arcs of a node that was just settled; false where a settled node would come nearer.
template <class Length>
bool relax(Side<Length>& side, const Side<Length>& other, Node node, int64_t& turn, Meeting<Length>& meeting) {
  const auto [graph, weights] = side.view;
  for (int64_t a = graph.begin(node); a < graph.end(node); ++a) {
    const Node next = graph.targets[a];
    const Length there = side.lengths[node] + weights[a];
    if (side.state[next] == Side<Length>::settled) {
      if (there < side.lengths[next]) return false;
    } else if (side.state[next] == Side<Length>::unseen || there < side.lengths[next]) {
      side.state[next] = Side<Length>::waiting;
      side.lengths[next] = there;
      side.parents[next] = node;
      side.queue.push({there, ++turn, next});
      if (other.state[next] == Side<Length>::unseen) continue;
      const Length whole = there + other.lengths[next];
      if (!meeting.length || *meeting.length > whole) meeting = {whole, next};
    }
  }
  return true;
}

}  // namespace

template <class Length>
PathBetween<Length> weighted_path_between(WeightedView<Length> view, WeightedView<Length> back, Node source,
                                          Node target) {
  PathBetween<Length> result;
  Side<Length> sides[2] = {{view, source}, {back, target}};
  Meeting<Length> meeting;
  int64_t turn = 0;
  for (int at = 0; !sides[0].queue.empty() && !sides[1].queue.empty(); at = 1 - at) {
    Side<Length>& side = sides[at];
    const Node node = std::get<2>(side.queue.top());
    side.queue.pop();
    if (side.state[node] == Side<Length>::settled) continue;
    side.state[node] = Side<Length>::settled;
    if (sides[1 - at].state[node] == Side<Length>::settled) {
      for (Node each = meeting.node; each != no_node; each = sides[0].parents[each]) result.nodes.push_back(each);
      std::ranges::reverse(result.nodes);
      for (Node each = sides[1].parents[meeting.node]; each != no_node; each = sides[1].parents[each])
        result.nodes.push_back(each);
      result.length = *meeting.length;
      return result;
    }
    if (!relax(side, sides[1 - at], node, turn, meeting)) {
      result.problem = PathProblem::contradiction;
      return result;
    }
  }
  return result;
}

template PathBetween<int64_t> weighted_path_between(WeightedView<int64_t>, WeightedView<int64_t>, Node, Node);
template PathBetween<double> weighted_path_between(WeightedView<double>, WeightedView<double>, Node, Node);

}  // namespace tessera::routines::networks
