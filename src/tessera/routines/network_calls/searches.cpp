// Breadth-first searches and shortest lengths, by frontiers.
#include <algorithm>
#include <limits>

#include "tessera/base/error.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/routines/list.h"
#include "tessera/routines/neighbours/advance.h"
#include "tessera/routines/network_calls/rounds.h"
#include "tessera/routines/network_calls/rows_of_call.h"
#include "tessera/routines/networks/paths.h"
#include "tessera/routines/networks/traversal.h"
#include "tessera/routines/select/selection.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;
using networks::CsrView;
using networks::Node;

namespace {

void check_search(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call);
  check_operand(call, static_cast<int>(call.operands.size()) - 1, whole);
}

std::vector<Node> sources_of_call(const HostCall& call, int k, int64_t nodes) {
  std::vector<Node> result;
  for (int64_t source : values_of_call<int64_t>(call, k)) {
    require<IndexError>(source >= 0 && source < nodes, "source {} is none of the {} rows", source, nodes);
    result.push_back(static_cast<Node>(source));
  }
  return result;
}

void check_sources(Launcher& launcher, const Elements& sources, int64_t nodes) {
  const library::Extremes found = find_extremes(launcher, whole, sources.size(), sources.data);
  require<IndexError>(found.low >= 0 && found.high < nodes, "source {} is none of the {} rows",
                      found.low < 0 ? found.low : found.high, nodes);
}

bool has_sources(const ops::CallView& call) { return call.operand(0).size() > 1 && call.operands.back()->size() > 0; }

// ---- breadth_first: operands offsets, targets, sources; argument: how many steps. Results: nodes in the order in
// which they are found, the node that each was found from (-1: none), and its distance.

void breadth_first_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call);
  networks::Search found;
  networks::Marks marks(rows.nodes());
  networks::breadth_first(rows, sources_of_call(call, 2, rows.nodes()), call.arguments.integer(0), marks, found);
  std::vector<int64_t> order(found.order.begin(), found.order.end()),
      parents(found.parents.begin(), found.parents.end()), distances(found.order.size());
  for (size_t level = 0; level + 1 < found.levels.size(); ++level)
    std::fill(distances.begin() + found.levels[level], distances.begin() + found.levels[level + 1],
              static_cast<int64_t>(level));
  give(call, 0, order, whole);
  give(call, 1, parents, whole);
  give(call, 2, distances, whole);
}

/// What a search has found, in the order of the rows: of the arcs that lead to a node, the first counts.
class DeviceSearch {
 public:
  DeviceSearch(Launcher& launcher, int64_t nodes)
      : launcher_(launcher),
        level_(filled(launcher, nodes, -1)),
        first_(filled(launcher, nodes, INT64_MAX)),
        order_(launcher.allocate(nodes, whole)),
        parents_(launcher.allocate(nodes, whole)),
        distances_(launcher.allocate(nodes, whole)) {}

  /// Takes the ends of `count` arcs that were not found yet; `from` names their beginnings among the frontier's nodes.
  void take(int64_t count, const char* ends, const char* from, int64_t level) {
    run_step(launcher_, "first arcs", count, {{ends, whole}, {level_->data(), whole}, {first_->data(), whole, changed}},
             {}, [](const StepParts& s) {
               const Value end = s.load(0);
               s.d.when(s.b.lt(s.load(1, end), s.word(0)), [&] { s.atomic(ir::AtomicKind::min, 2, s.i, end); });
             });
    const Ref<runtime::Buffer> is_new = launcher_.allocate(count, DType::boolean);
    run_step(
        launcher_, "new ends", count,
        {{ends, whole}, {level_->data(), whole}, {first_->data(), whole}, {is_new->data(), DType::boolean, written}},
        {}, [](const StepParts& s) {
          const Value end = s.load(0), is_unseen = s.b.lt(s.load(1, end), s.word(0));
          s.store(3, s.b.bit_and(is_unseen, s.b.eq(s.load(2, end), s.i)));
        });
    Selection selection(launcher_, DType::boolean, count, is_new->data());
    const int64_t added = selection.count();
    Ref<runtime::Buffer> nodes = launcher_.allocate(added, whole);
    const Ref<runtime::Buffer> beginnings = launcher_.allocate(added, whole);
    selection.compress(Words(whole), ends, nodes->data());
    if (from) selection.compress(Words(whole), from, beginnings->data());
    if (from)
      run_step(launcher_, "parents", added,
               {{beginnings->data(), whole}, {frontier_->data(), whole}, {parents_->data(), whole, changed}}, {found_},
               [](const StepParts& s) { s.store(2, s.load(1, s.load(0)), s.b.add(s.number(0), s.i)); });
    run_step(launcher_, "found nodes", added,
             {{nodes->data(), whole},
              {level_->data(), whole, changed},
              {order_->data(), whole, changed},
              {distances_->data(), whole, changed},
              {parents_->data(), whole, changed}},
             {found_, level, from ? 0 : 1}, [](const StepParts& s) {
               const Value node = s.load(0), place = s.b.add(s.number(0), s.i);
               s.store(1, s.number(1), node);
               s.store(2, node, place);
               s.store(3, s.number(1), place);
               s.d.when(s.b.ne(s.number(2), s.word(0)), [&] { s.store(4, s.word(-1), place); });
             });
    found_ += added;
    frontier_ = std::move(nodes);
    count_ = added;
  }

  int64_t frontier_count() const { return count_; }
  const char* frontier() const { return frontier_->data(); }
  void finish(DeviceCall& call) const {
    give(call, 0, found_, order_->data(), whole);
    give(call, 1, found_, parents_->data(), whole);
    give(call, 2, found_, distances_->data(), whole);
  }

 private:
  Launcher& launcher_;
  Ref<runtime::Buffer> level_, first_, order_, parents_, distances_, frontier_;
  int64_t found_ = 0, count_ = 0;
};

/// The ends of arcs.
Ref<runtime::Buffer> ends_of(Launcher& launcher, const DeviceRows& rows, const FrontierArcs& arcs) {
  Ref<runtime::Buffer> ends = launcher.allocate(arcs.count, whole);
  run_step(launcher, "ends of arcs", arcs.count,
           {{arcs.arcs->data(), whole}, {rows.targets, DType::int32}, {ends->data(), whole, written}}, {},
           [](const StepParts& s) { s.store(2, s.load_word(1, s.load(0))); });
  return ends;
}

void breadth_first_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  const Elements& sources = call.operand(2);
  check_sources(call.launcher, sources, rows.nodes);
  DeviceSearch search(call.launcher, rows.nodes);
  search.take(sources.size(), sources.data, nullptr, 0);
  for (int64_t level = 1; level <= call.arguments.integer(0) && search.frontier_count() > 0; ++level) {
    if (level > most_rounds) throw NoDeviceCode{};
    const FrontierArcs arcs = advance(call.launcher, rows, search.frontier_count(), search.frontier());
    if (arcs.count == 0) break;
    search.take(arcs.count, ends_of(call.launcher, rows, arcs)->data(), arcs.from->data(), level);
  }
  search.finish(call);
}

// ---- shortest_lengths: operands offsets, targets, weights (int64 or float64), sources. Results: lengths of the
// weights' type, the largest number (infinity) where nothing leads; whether there is a negative cycle.

void check_lengths(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call);
  const DType dtype = call.operand(2).dtype;
  require<TypeError>(dtype == whole || dtype == DType::float64, "lengths are int64 or float64, not {}", dtype);
  check_operand(call, 2, dtype);
  check_operand(call, 3, whole);
}

template <class Length>
void lengths_on_host(HostCall& call, Length most, DType dtype) {
  const CsrView rows = rows_of_call(call);
  check_count(call, 2, rows.arcs());
  const auto weights = values_of_call<Length>(call, 2);
  const std::vector<Node> sources = sources_of_call(call, 3, rows.nodes());
  const bool falls = std::ranges::any_of(weights, [](Length weight) { return weight < 0; });
  const networks::WeightedView<Length> view{rows, weights};
  const auto found = falls ? networks::bellman_ford(view, std::span<const Node>(sources), false)
                           : networks::dijkstra(view, networks::PathRequest<Length>{.sources = sources});
  std::vector<Length> lengths(rows.nodes(), most);
  for (Node node : found.order) lengths[node] = found.lengths[node];
  give(call, 0, lengths, dtype);
  give(call, 1, std::vector<int64_t>{found.problem == networks::PathProblem::negative_cycle}, whole);
}

/// Doubles as whole numbers in the same order, and back.
Value key_of(const StepParts& s, Value bits) {
  const Value sign = s.b.binary(ir::Opcode::shift_right, bits, s.word(63));
  return s.b.bit_xor(bits, s.b.bit_and(sign, s.word(INT64_MAX)));
}

/// One relaxation of the arcs of a frontier: the least of what each end has and what the arcs give. buffers: from,
/// frontier, arcs, targets, weights, keys, next keys
template <bool is_real>
void relax(const StepParts& s) {
  const Value node = s.load(1, s.load(0)), arc = s.load(2), key = s.load(5, node);
  const Value length = is_real ? s.b.bitcast(key_of(s, key), DType::float64) : key;
  const Value there = s.b.add(length, s.load(4, arc));
  const Value next = is_real ? key_of(s, s.b.bitcast(there, whole)) : there;
  s.atomic(ir::AtomicKind::min, 6, next, s.load_word(3, arc));
}

template <bool is_real>
void lengths_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  Launcher& launcher = call.launcher;
  const Elements& sources = call.operand(3);
  check_count(call, 2, rows.arcs);
  check_sources(launcher, sources, rows.nodes);
  const DType dtype = is_real ? DType::float64 : whole;
  // Positive doubles have the order of their bits.
  const int64_t most = is_real ? as_number(std::numeric_limits<double>::infinity()) : INT64_MAX;
  Ref<runtime::Buffer> keys = filled(launcher, rows.nodes, most), next = filled(launcher, rows.nodes, most);
  run_step(launcher, "begin at", sources.size(), {{sources.data, whole}, {next->data(), whole, changed}}, {},
           [](const StepParts& s) { s.store(1, s.word(0), s.load(0)); });
  int64_t round = 0;
  for (; round <= rows.nodes; ++round) {
    const Differences frontier(launcher, rows.nodes, keys->data(), next->data());
    if (frontier.count() == 0) break;
    if (round > most_rounds) throw NoDeviceCode{};
    copy_words(launcher, rows.nodes, next->data(), keys->data());
    const FrontierArcs arcs = advance(launcher, rows, frontier.count(), frontier.nodes());
    if (arcs.count == 0) continue;
    run_step(launcher, is_real ? "relax reals" : "relax", arcs.count,
             {{arcs.from->data(), whole},
              {frontier.nodes(), whole},
              {arcs.arcs->data(), whole},
              {rows.targets, DType::int32},
              {call.operand(2).data, dtype},
              {keys->data(), whole},
              {next->data(), whole, changed}},
             {}, relax<is_real>);
  }
  if (is_real)
    run_step(launcher, "lengths of keys", rows.nodes, {{keys->data(), whole}, {next->data(), whole, written}}, {},
             [](const StepParts& s) { s.store(1, key_of(s, s.load(0))); });
  give(call, 0, rows.nodes, (is_real ? next : keys)->data(), dtype);
  give_number(call, 1, round > rows.nodes);
}

}  // namespace

void add_network_searches(Table& table) {
  table.add(
      {.routine = {.name = "breadth_first",
                   .doc = "Nodes in the order of a breadth-first search, their parents and distances.",
                   .parameters = {{"offsets"}, {"targets"}, {"sources"}, {"steps", ops::ParameterKind::integer, 9e18}},
                   .result_count = 3,
                   .infer = check_search,
                   .cost =
                       [](const ops::CallView& call) {
                         return cost_of_rows(
                             "breadth first", call,
                             {.rounds = 1, .steps = 6, .bytes = 150, .launches = 120, .synchronisations = 24});
                       },
                   .time = ops::CallTime::at_call},
       .on_host = breadth_first_on_host,
       .on_device = breadth_first_on_device,
       .suits_device = has_sources});
  table.add(
      {.routine = {.name = "shortest_lengths",
                   .doc = "Lengths of the shortest paths from sources, and whether a cycle is negative.",
                   .parameters = {{"offsets"}, {"targets"}, {"weights"}, {"sources"}},
                   .result_count = 2,
                   .infer = check_lengths,
                   .cost =
                       [](const ops::CallView& call) {
                         return cost_of_rows(
                             "shortest lengths", call,
                             {.rounds = 1, .steps = 25, .bytes = 300, .launches = 200, .synchronisations = 40});
                       },
                   .time = ops::CallTime::at_call},
       .on_host =
           [](HostCall& call) {
             if (call.operand(2).dtype() == whole)
               lengths_on_host<int64_t>(call, INT64_MAX, whole);
             else
               lengths_on_host<double>(call, std::numeric_limits<double>::infinity(), DType::float64);
           },
       .on_device =
           [](DeviceCall& call) {
             call.operand(2).dtype() == whole ? lengths_on_device<false>(call) : lengths_on_device<true>(call);
           },
       .suits_device = [](const ops::CallView& call) { return has_sources(call) && call.operand(1).size() > 0; }});
}

}  // namespace tessera::routines
