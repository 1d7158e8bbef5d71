// The algorithms of networks on small graphs whose answers are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tessera/routines/networks/betweenness.h"
#include "tessera/routines/networks/bidirectional.h"
#include "tessera/routines/networks/communities.h"
#include "tessera/routines/networks/components.h"
#include "tessera/routines/networks/derived.h"
#include "tessera/routines/networks/edge_rows.h"
#include "tessera/routines/networks/labels.h"
#include "tessera/routines/networks/ranks.h"
#include "tessera/routines/networks/structure.h"
#include "tessera/routines/networks/traversal.h"
#include "tessera/routines/networks/trees.h"

namespace tessera::routines::networks {
namespace {

using Nodes = std::vector<Node>;
using Arcs = std::vector<std::pair<Node, Node>>;

Csr directed(int64_t nodes, const Arcs& arcs) {
  Csr result;
  for (Node v = 0; v < nodes; ++v) {
    for (const auto& [from, to] : arcs)
      if (from == v) result.targets.push_back(to);
    result.offsets.push_back(static_cast<int64_t>(result.targets.size()));
  }
  return result;
}

Csr undirected(int64_t nodes, Arcs arcs) {
  for (size_t i = arcs.size(); i-- > 0;) arcs.emplace_back(arcs[i].second, arcs[i].first);
  return directed(nodes, arcs);
}

/// Two triangles, 0 1 2 and 3 4 5, joined by the edge from 2 to 3.
Csr triangles_on_a_bridge() { return undirected(6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 5}}); }

TEST(Networks, TransposingTwiceSortsTheRows) {
  const Csr graph = directed(3, {{0, 2}, {0, 1}, {2, 0}, {2, 2}});
  std::vector<int64_t> arcs;
  const Csr back = transpose(graph.view(), &arcs);
  EXPECT_EQ(back.targets, (Nodes{2, 0, 0, 2}));
  EXPECT_EQ(arcs, (std::vector<int64_t>{2, 1, 0, 3}));
  EXPECT_EQ(transpose(back.view()).targets, (Nodes{1, 2, 0, 2}));
}

TEST(Networks, BreadthFirstSearchesFindLevelsAndParents) {
  Marks marks(6);
  Search found;
  const Nodes source{0};
  const Csr graph = triangles_on_a_bridge();
  breadth_first(graph.view(), source, no_limit, marks, found);
  EXPECT_EQ(found.order, (Nodes{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(found.parents, (Nodes{no_node, 0, 0, 2, 3, 3}));
  EXPECT_EQ(found.levels, (std::vector<int64_t>{0, 1, 3, 4, 6}));
}

TEST(Networks, LayersEndAtACircle) {
  const Csr chain = directed(3, {{2, 1}, {1, 0}}), circle = directed(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  EXPECT_EQ(topological_layers(chain.view()).order, (Nodes{2, 1, 0}));
  EXPECT_EQ(topological_layers(circle.view()).order, Nodes{0});
}

TEST(Networks, BothSearchesOfAPathMeetOnTheShortest) {
  const Csr graph = undirected(5, {{0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}});
  std::vector<int64_t> weights(static_cast<size_t>(graph.view().arcs()), 1);
  for (int64_t v = 0; v < 5; ++v)
    for (int64_t a = graph.view().begin(v); a < graph.view().end(v); ++a)
      if (v + graph.targets[a] == 7) weights[a] = 9;
  const WeightedView<int64_t> view{graph.view(), weights};
  const auto found = weighted_path_between(view, view, 0, 4);
  EXPECT_EQ(found.nodes, (Nodes{0, 1, 2, 4}));
  EXPECT_EQ(found.length, 3);
  EXPECT_TRUE(weighted_path_between(WeightedView<int64_t>{directed(2, {{1, 0}}).view(), weights},
                                    WeightedView<int64_t>{directed(2, {{0, 1}}).view(), weights}, 0, 1)
                  .nodes.empty());
}

TEST(Networks, ABridgeJoinsBiconnectedComponents) {
  const Biconnected found = biconnected_components(triangles_on_a_bridge().view());
  EXPECT_EQ(found.bridges.size(), 1U);
  EXPECT_EQ(std::minmax(found.bridges[0].first, found.bridges[0].second), std::minmax(Node{2}, Node{3}));
  EXPECT_EQ(found.begins.size(), 4U);
}

TEST(Networks, StrongComponentsAreCircles) {
  const Components found = strong_components(directed(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}}).view());
  EXPECT_EQ(found.count(), 3);
}

TEST(Networks, CoresAndTrianglesOfTwoTriangles) {
  const Csr graph = simple_rows(triangles_on_a_bridge().view());
  EXPECT_EQ(core_numbers(graph.view(), {}), std::vector<int64_t>(6, 2));
  EXPECT_EQ(triangles(graph.view()), std::vector<int64_t>(6, 1));
}

TEST(Networks, ATrussHasNoBridge) {
  const Csr graph = simple_rows(triangles_on_a_bridge().view());
  EXPECT_EQ(truss(graph.view(), 2).targets, graph.targets);
  EXPECT_EQ(truss(graph.view(), 3).view().row(2).size(), 2U);
  EXPECT_TRUE(truss(graph.view(), 4).targets.empty());
}

TEST(Networks, SpanningEdgesCloseNoCircle) {
  const Nodes from{0, 1, 0, 2}, to{1, 2, 2, 3};
  const std::vector<int64_t> order{2, 0, 1, 3};
  EXPECT_EQ(spanning_edges(4, from, to, order), (std::vector<int64_t>{2, 0, 3}));
}

TEST(Networks, AReductionReachesWhatTheClosureDoes) {
  const Csr graph = directed(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}});
  const Csr reduced = transitive_reduction(graph.view());
  EXPECT_EQ(reduced.targets, (Nodes{1, 2, 3}));
  EXPECT_EQ(reachable(reduced.view()).targets, reachable(graph.view()).targets);
  EXPECT_EQ(complement(directed(2, {{0, 1}}).view()).targets, Nodes{0});
}

TEST(Networks, WhatIsReachedHasTheNodeWhereACircleLeadsBack) {
  EXPECT_EQ(reachable(directed(3, {{0, 1}, {1, 0}, {1, 2}}).view()).targets, (Nodes{0, 1, 2, 0, 1, 2}));
}

TEST(Networks, ProjectionsCountCommonNeighbours) {
  const Csr graph = undirected(5, {{0, 3}, {1, 3}, {0, 4}, {1, 4}, {2, 4}});
  std::vector<int64_t> common;
  const Nodes chosen{0, 1, 2};
  const Csr rows = projection(graph.view(), chosen, common);
  EXPECT_EQ(rows.targets, (Nodes{1, 2, 0, 2, 0, 1}));
  EXPECT_EQ(common, (std::vector<int64_t>{2, 1, 2, 1, 1, 1}));
}

TEST(Networks, ThePathBetweenTwoEndsPassesTheMiddle) {
  const Csr path = undirected(3, {{0, 1}, {1, 2}});
  const Nodes all{0, 1, 2};
  BetweennessSums sums;
  add_betweenness({.graph = path.view(), .weights = {}, .targets = {}}, all, sums);
  EXPECT_EQ(sums.nodes, (std::vector<double>{0, 2, 0}));
  EXPECT_EQ(load(path.view(), all), (std::vector<double>{0, 2, 0}));
}

TEST(Networks, LabelsAndLevelsFindBothTriangles) {
  const Csr graph = triangles_on_a_bridge();
  const Nodes order{2, 3, 0, 1, 4, 5};
  const auto labels = propagate_labels(graph.view(), greedy_colours(graph.view(), order), [] { return true; });
  EXPECT_EQ(labels[0], labels[2]);
  EXPECT_EQ(labels[3], labels[5]);

  LouvainLevel level(edges_of(graph.view(), {}, false), false);
  EXPECT_TRUE(level.move_nodes(order, level.total_weight(), 1.0));
  EXPECT_EQ(Nodes(level.community().begin(), level.community().end()), (Nodes{0, 0, 0, 1, 1, 1}));
  EXPECT_NEAR(level.modularity(1.0), 6.0 / 7.0 - 0.5, 1e-12);
  level.refine(order, level.total_weight(), 1.0);
  EXPECT_LE(level.communities(), 6);
  EXPECT_NE(level.community()[2], level.community()[3]);
}

TEST(Networks, RanksSumToOne) {
  const Csr graph = directed(3, {{0, 1}, {1, 2}});
  const Csr back = transpose(graph.view());
  const std::vector<double> third(3, 1.0 / 3), strengths{1, 1, 0};
  std::vector<double> ranks;
  EXPECT_TRUE(
      page_rank({back.view(), {}}, strengths, {.start = third, .personalization = third, .dangling = third}, ranks));
  EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, 1e-9);
  EXPECT_LT(ranks[0], ranks[1]);
  EXPECT_LT(ranks[1], ranks[2]);
}

TEST(EdgeRows, HaveNeighboursInTheOrderOfEdgesAndRepeatedEdgesBehindTheFirst) {
  const Nodes from{1, 0, 2, 1, 2}, to{0, 1, 2, 2, 1};
  const EdgeRows found = rows_of_edges(3, from, to, true);
  EXPECT_EQ(found.rows.offsets, (std::vector<int64_t>{0, 1, 3, 5}));
  EXPECT_EQ(found.rows.targets, (Nodes{1, 0, 2, 2, 1}));
  EXPECT_EQ(found.first, (std::vector<int64_t>{0, 0, 3, 2, 3}));
  EXPECT_EQ(found.next, (std::vector<int64_t>{1, -1, -1, 4, -1}));
}

TEST(EdgeRows, OfDirectedEdgesAreOneRowAnEdge) {
  const Nodes from{1, 0, 1}, to{0, 1, 2};
  const EdgeRows found = rows_of_edges(3, from, to, false);
  EXPECT_EQ(found.rows.offsets, (std::vector<int64_t>{0, 1, 3, 3}));
  EXPECT_EQ(found.rows.targets, (Nodes{1, 0, 2}));
  EXPECT_TRUE(found.next.empty());
}

}  // namespace
}  // namespace tessera::routines::networks
