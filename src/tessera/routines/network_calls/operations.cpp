// Operations on rows of neighbours: reductions over neighbours, the edges of a frontier, common neighbours, rows of
// edges.
#include <algorithm>
#include <limits>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/routines/list.h"
#include "tessera/routines/neighbours/advance.h"
#include "tessera/routines/neighbours/common.h"
#include "tessera/routines/neighbours/reduce.h"
#include "tessera/routines/network_calls/rounds.h"
#include "tessera/routines/network_calls/rows_of_call.h"
#include "tessera/routines/networks/row_pieces.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/sort/sort.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;
using networks::CsrView;
using networks::Node;

namespace {

// ---- neighbour_sum, neighbour_minimum: operands offsets, targets, values, weights; argument: whether weights count.

template <NeighbourOp op>
void check_reduction(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call);
  const DType dtype = call.operand(2).dtype;
  require<TypeError>(dtype == DType::float64 || (op == NeighbourOp::minimum && dtype == whole),
                     "values of neighbours are {}, not float64{}", dtype,
                     op == NeighbourOp::minimum ? " or int64" : "");
  check_operand(call, 2, dtype);
  check_operand(call, 3, dtype);
}

/// Checks the numbers of values and weights; whether there are weights.
bool has_weights(const CallBase& call, int64_t nodes, int64_t arcs) {
  check_count(call, 2, nodes);
  if (call.arguments.boolean(0)) check_count(call, 3, arcs);
  return call.arguments.boolean(0);
}

void sum_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call);
  const bool weighted = has_weights(call, rows.nodes(), rows.arcs());
  const auto x = values_of_call<double>(call, 2), weights = values_of_call<double>(call, 3);
  const int64_t nodes = rows.nodes();
  call.make_result(0, std::span(&nodes, 1), DType::float64);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      call.result().as<double>()[v] = networks::sum_of_row(rows.begin(v), rows.end(v), 0, [&](int64_t a) {
        return weighted ? x[rows.targets[a]] * weights[a] : x[rows.targets[a]];
      });
  };
  runtime::parallel_for(nodes, 2048, body);
}

template <class Length>
void minimum_of(HostCall& call, const CsrView& rows, Length most) {
  const bool weighted = has_weights(call, rows.nodes(), rows.arcs());
  const auto x = values_of_call<Length>(call, 2), weights = values_of_call<Length>(call, 3);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      Length least = most;
      for (int64_t a = rows.begin(v); a < rows.end(v); ++a) {
        const Length value = x[rows.targets[a]];
        least = std::min(least, weighted && value != most ? value + weights[a] : value);
      }
      call.result().as<Length>()[v] = least;
    }
  };
  runtime::parallel_for(rows.nodes(), 2048, body);
}

void minimum_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call);
  const int64_t nodes = rows.nodes();
  const DType dtype = call.operand(2).dtype();
  call.make_result(0, std::span(&nodes, 1), dtype);
  if (dtype == whole)
    minimum_of<int64_t>(call, rows, INT64_MAX);
  else
    minimum_of<double>(call, rows, std::numeric_limits<double>::infinity());
}

template <NeighbourOp op>
void reduce_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  const bool weighted = has_weights(call, rows.nodes, rows.arcs);
  const DType dtype = call.operand(2).dtype();
  call.make_result(0, std::span(&rows.nodes, 1), dtype);
  RowPieces(call.launcher, rows, 0)
      .reduce({.op = op,
               .dtype = dtype,
               .values = call.operand(2).data,
               .weights = weighted ? call.operand(3).data : nullptr,
               .start = nullptr},
              call.result().data);
}

// ---- advance: operands offsets, targets, nodes (int64); results: which node each arc leaves, its number.

void check_nodes(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call);
  for (int k = 2; k < static_cast<int>(call.operands.size()); ++k) check_operand(call, k, whole);
}

void require_nodes(int64_t low, int64_t high, int64_t nodes) {
  require<IndexError>(low >= 0 && high < nodes, "node {} is none of the {} rows", low < 0 ? low : high, nodes);
}
void check_node_range(std::span<const int64_t> numbers, int64_t nodes) {
  if (numbers.empty()) return;
  const auto [low, high] = std::ranges::minmax(numbers);
  require_nodes(low, high, nodes);
}
void check_node_range(Launcher& launcher, const Elements& numbers, int64_t nodes) {
  if (numbers.size() == 0) return;
  const library::Extremes found = find_extremes(launcher, whole, numbers.size(), numbers.data);
  require_nodes(found.low, found.high, nodes);
}

void advance_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call);
  const auto nodes = values_of_call<int64_t>(call, 2);
  check_node_range(nodes, rows.nodes());
  std::vector<int64_t> from, arcs;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (int64_t a = rows.begin(nodes[i]); a < rows.end(nodes[i]); ++a) {
      from.push_back(static_cast<int64_t>(i));
      arcs.push_back(a);
    }
  give(call, 0, from, whole);
  give(call, 1, arcs, whole);
}

void advance_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  const Elements& nodes = call.operand(2);
  check_node_range(call.launcher, nodes, rows.nodes);
  const FrontierArcs found = advance(call.launcher, rows, nodes.size(), nodes.data);
  give(call, 0, found.count, found.count ? found.from->data() : nodes.data, whole);
  give(call, 1, found.count, found.count ? found.arcs->data() : nodes.data, whole);
}

// ---- common_neighbours: operands offsets, targets (rows in increasing order), left, right (int64).

void common_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call);
  const auto left = values_of_call<int64_t>(call, 2), right = values_of_call<int64_t>(call, 3);
  const auto pairs = static_cast<int64_t>(left.size());
  check_count(call, 3, pairs);
  check_node_range(left, rows.nodes());
  check_node_range(right, rows.nodes());
  call.make_result(0, std::span(&pairs, 1), whole);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto x = rows.row(left[i]), y = rows.row(right[i]);
      int64_t count = 0;
      for (size_t j = 0, k = 0; j < x.size() && k < y.size();) {
        count += x[j] == y[k];
        const bool steps = x[j] <= y[k];
        k += y[k] <= x[j];
        j += steps;
      }
      call.result().as<int64_t>()[i] = count;
    }
  };
  runtime::parallel_for(pairs, 256, body);
}

void common_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  const Elements &left = call.operand(2), &right = call.operand(3);
  check_count(call, 3, left.size());
  check_node_range(call.launcher, left, rows.nodes);
  check_node_range(call.launcher, right, rows.nodes);
  const int64_t pairs = left.size();
  call.make_result(0, std::span(&pairs, 1), whole);
  run_step(call.launcher, "common neighbours", pairs,
           {{rows.offsets, whole},
            {rows.targets, DType::int32},
            {left.data, whole},
            {right.data, whole},
            {call.result().data, whole, StepBuffer::written}},
           {}, [](const StepParts& s) { s.store(4, common_count(s, 0, 1, s.load(2), s.load(3))); });
}

// ---- rows_of_edges: operand `origins` (int64), argument: nodes; results: offsets, and the edges by row, else in
// order.

void check_from(const ops::CallView& call, std::span<ops::ResultType>) {
  check_operand(call, 0, whole);
  require<ValueError>(call.arguments.integer(0) >= 0, "rows_of_edges: {} nodes", call.arguments.integer(0));
}

void edges_on_host(HostCall& call) {
  const auto from = values_of_call<int64_t>(call, 0);
  const int64_t nodes = call.arguments.integer(0);
  check_node_range(from, nodes);
  std::vector<int64_t> offsets(nodes + 1), order(from.size());
  for (int64_t node : from) ++offsets[node + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<int64_t> next(offsets.begin(), offsets.end() - 1);
  for (size_t e = 0; e < from.size(); ++e) order[next[from[e]]++] = static_cast<int64_t>(e);
  give(call, 0, offsets, whole);
  give(call, 1, order, whole);
}

void edges_on_device(DeviceCall& call) {
  const Elements& from = call.operand(0);
  const int64_t nodes = call.arguments.integer(0), edges = from.size(), ends = nodes + 1;
  Launcher& launcher = call.launcher;
  check_node_range(launcher, from, nodes);
  call.make_result(1, std::span(&edges, 1), whole);
  call.make_result(0, std::span(&ends, 1), whole);
  const SortRows rows(whole, 1, edges);
  argsort_rows(launcher, rows, from.data, call.result(1).data);
  const Ref<runtime::Buffer> sorted = launcher.allocate(edges, whole), numbers = launcher.allocate(ends, whole);
  gather_rows(launcher, rows, from.data, call.result(1).data, sorted->data());
  number_words(launcher, ends, numbers->data());
  launcher.run({.name = format("search {} {}", name(whole), false),
                .make = [] { return search_kernel(whole, false); },
                .extents = {ends},
                .buffers = {sorted->data(), numbers->data(), call.result(0).data},
                .scalars = {edges}});
  launcher.flush();
}

bool has_arcs(const ops::CallView& call) {
  return std::ranges::all_of(call.operands, [](const View* operand) { return operand->size() > 0; });
}

template <NeighbourOp op>
void add_reduction(Table& table, std::string_view name, std::string_view doc, void (*on_host)(HostCall& call)) {
  table.add({.routine = {.name = name,
                         .doc = doc,
                         .parameters = {{"offsets"},
                                        {"targets"},
                                        {"values"},
                                        {"weights"},
                                        {"weighted", ops::ParameterKind::boolean, 1}},
                         .infer = check_reduction<op>,
                         .cost =
                             [](const ops::CallView& call) {
                               return cost_of_rows(op == NeighbourOp::sum ? "neighbour sum" : "neighbour minimum", call,
                                                   {});
                             },
                         .time = ops::CallTime::at_call},
             .on_host = on_host,
             .on_device = reduce_on_device<op>,
             .suits_device = has_arcs});
}

}  // namespace

void add_neighbours(Table& table) {
  add_reduction<NeighbourOp::sum>(
      table, "neighbour_sum", "The sum of the neighbours' values, times the weights of the arcs to them.", sum_on_host);
  add_reduction<NeighbourOp::minimum>(table, "neighbour_minimum",
                                      "The least of the neighbours' values, plus the weights of the arcs to them.",
                                      minimum_on_host);
  table.add({.routine = {.name = "advance",
                         .doc = "The arcs that leave some nodes: which of the nodes each leaves, and its number.",
                         .parameters = {{"offsets"}, {"targets"}, {"nodes"}},
                         .result_count = 2,
                         .infer = check_nodes,
                         .cost = [](const ops::CallView& call) { return cost_of_rows("advance", call, {}); },
                         .time = ops::CallTime::at_call},
             .on_host = advance_on_host,
             .on_device = advance_on_device,
             .suits_device = has_arcs});
  table.add(
      {.routine = {.name = "common_neighbours",
                   .doc = "How many neighbours two nodes have in common, for pairs; rows are in increasing order.",
                   .parameters = {{"offsets"}, {"targets"}, {"left"}, {"right"}},
                   .infer = check_nodes,
                   .cost =
                       [](const ops::CallView& call) {
                         return cost_of_rows("common neighbours", call, {.steps = 20, .bytes = 100});
                       },
                   .time = ops::CallTime::at_call},
       .on_host = common_on_host,
       .on_device = common_on_device,
       .suits_device = has_arcs});
  table.add(
      {.routine = {.name = "rows_of_edges",
                   .doc = "Offsets of the rows of edges that leave each node, and the edges' numbers row by row.",
                   .parameters = {{"origins"}, {"nodes", ops::ParameterKind::integer}},
                   .result_count = 2,
                   .infer = check_from,
                   .cost =
                       [](const ops::CallView& call) { return cost_of_sort("rows of edges", call.operand(0), true); },
                   .time = ops::CallTime::at_call},
       .on_host = edges_on_host,
       .on_device = edges_on_device,
       .suits_device = [](const ops::CallView& call) { return has_arcs(call) && has_short_rows(call); }});
}

}  // namespace tessera::routines
