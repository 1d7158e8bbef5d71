// PageRank, eigenvector and Katz centrality: operands are the rows of the arcs that lead to each node, their weights,
// and vectors. The results: one value a node, and whether the iteration converged.
#include "tessera/routines/networks/ranks.h"

#include "tessera/routines/list.h"
#include "tessera/routines/neighbours/reduce.h"
#include "tessera/routines/network_calls/rows_of_call.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;
using networks::IncomingArcs;

namespace {

/// Operands: offsets, sources, weights, and vectors from operand 3 on. Argument 0: whether weights count.
void check_ranks(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call);
  for (int k = 2; k < static_cast<int>(call.operands.size()); ++k) check_operand(call, k, real);
}

void check_vectors(const CallBase& call, int64_t nodes, int64_t arcs) {
  if (call.arguments.boolean(0)) check_count(call, 2, arcs);
  for (int k = 3; k < static_cast<int>(call.operands.size()); ++k) check_count(call, k, nodes);
}

IncomingArcs arcs_of_call(HostCall& call) {
  const networks::CsrView rows = rows_of_call(call);
  check_vectors(call, rows.nodes(), rows.arcs());
  return {rows, call.arguments.boolean(0) ? values_of_call<double>(call, 2) : std::span<const double>{}};
}

std::vector<double> vector_of_call(const HostCall& call, int k) {
  const auto values = values_of_call<double>(call, k);
  return {values.begin(), values.end()};
}

void give_ranks(HostCall& call, const std::vector<double>& values, bool converged) {
  give(call, 0, values, real);
  give(call, 1, std::vector<int64_t>{converged}, DType::int64);
}

/// One iteration after the other on a device, over vectors of one element a node.
class Iteration {
 public:
  explicit Iteration(DeviceCall& call)
      : call_(call),
        launcher_(call.launcher),
        rows_(rows_of_call(call)),
        pieces_(call.launcher, rows_, 0),
        next_(vector()),
        terms_(vector()),
        weights_(call.arguments.boolean(0) ? call.operand(2).data : nullptr) {
    check_vectors(call, rows_.nodes, rows_.arcs);
  }

  int64_t nodes() const { return rows_.nodes; }
  Launcher& launcher() const { return launcher_; }
  Ref<runtime::Buffer> vector() const { return launcher_.allocate(rows_.nodes, real); }
  const char* operand(int k) const { return call_.operand(k).data; }
  /// A copy of an operand.
  Ref<runtime::Buffer> begin_with(int k) const {
    Ref<runtime::Buffer> values = vector();
    run_step(launcher_, "copy", nodes(), {{operand(k), real}, {values->data(), real, written}}, {},
             [](const StepParts& s) { s.store(1, s.load(0)); });
    return values;
  }
  /// next = start + the sums of x over the arcs that lead to each node.
  void spread(const char* x, const char* start) {
    pieces_.reduce({.op = NeighbourOp::sum, .dtype = real, .values = x, .weights = weights_, .start = start},
                   sums_->data());
  }
  const char* sums() const { return sums_->data(); }
  const char* next() const { return next_->data(); }
  const char* terms() const { return terms_->data(); }
  /// Exchanges values and next. Waits for the sum of the distances, which are in terms(); whether it is small.
  bool has_settled(Ref<runtime::Buffer>& values, double tolerance) {
    const Ref<runtime::Buffer> sum = sum_all(launcher_, nodes(), terms());
    std::swap(values, next_);
    return fetch_one<double>(launcher_, sum->data()) < static_cast<double>(nodes()) * tolerance;
  }
  void finish(const Ref<runtime::Buffer>& values, bool converged) {
    give(call_, 0, nodes(), values->data(), real);
    give_number(call_, 1, converged);
  }

 private:
  DeviceCall& call_;
  Launcher& launcher_;
  DeviceRows rows_;
  RowPieces pieces_;
  Ref<runtime::Buffer> next_, terms_, sums_ = vector();
  const char* weights_;
};

// ---- PageRank: vectors strengths, start, personalization, dangling; arguments alpha, tolerance, iterations.

void rank_on_host(HostCall& call) {
  std::vector<double> ranks;
  const bool converged = networks::page_rank(arcs_of_call(call), values_of_call<double>(call, 3),
                                             {.alpha = call.arguments.real(1),
                                              .tolerance = call.arguments.real(2),
                                              .iterations = call.arguments.integer(3),
                                              .start = values_of_call<double>(call, 4),
                                              .personalization = values_of_call<double>(call, 5),
                                              .dangling = values_of_call<double>(call, 6)},
                                             ranks);
  give_ranks(call, ranks, converged);
}

// buffers: shares, ranks, passed, lost
void pass_on(const StepParts& s) {
  const Value share = s.load(0), rank = s.load(1);
  s.store(2, s.b.mul(share, rank));
  s.store(3, s.b.select(s.b.eq(share, s.real(0)), rank, s.real(0)));
}

// buffers: sums, lost (one), dangling, personalization, ranks, next, terms; numbers: alpha, 1 - alpha
void rank_step(const StepParts& s) {
  ir::Builder& b = s.b;
  const Value lost = b.mul(s.load(1, s.word(0)), s.load(2));
  const Value followed = b.mul(s.real_number(0), b.add(s.load(0), lost));
  const Value next = b.add(followed, b.mul(s.real_number(1), s.load(3)));
  s.store(5, next);
  s.store(6, b.abs(b.sub(next, s.load(4))));
}

void rank_on_device(DeviceCall& call) {
  Iteration iteration(call);
  const double alpha = call.arguments.real(1);
  const int64_t nodes = iteration.nodes();
  const Ref<runtime::Buffer> shares = iteration.vector(), passed = iteration.vector(), lost = iteration.vector();
  Ref<runtime::Buffer> ranks = iteration.begin_with(4);
  run_step(iteration.launcher(), "shares", nodes, {{iteration.operand(3), real}, {shares->data(), real, written}}, {},
           [](const StepParts& s) {
             const Value strength = s.load(0), none = s.b.eq(strength, s.real(0));
             const Value share = s.b.div(s.real(1), s.b.select(none, s.real(1), strength));
             s.store(1, s.b.select(none, s.real(0), share));
           });
  bool converged = false;
  for (int64_t k = 0; k < call.arguments.integer(3) && !converged; ++k) {
    run_step(
        iteration.launcher(), "pass ranks on", nodes,
        {{shares->data(), real}, {ranks->data(), real}, {passed->data(), real, written}, {lost->data(), real, written}},
        {}, pass_on);
    iteration.spread(passed->data(), nullptr);
    const Ref<runtime::Buffer> total = sum_all(iteration.launcher(), nodes, lost->data());
    run_step(iteration.launcher(), "next ranks", nodes,
             {{iteration.sums(), real},
              {total->data(), real},
              {iteration.operand(6), real},
              {iteration.operand(5), real},
              {ranks->data(), real},
              {iteration.next(), real, written},
              {iteration.terms(), real, written}},
             {as_number(alpha), as_number(1 - alpha)}, rank_step);
    converged = iteration.has_settled(ranks, call.arguments.real(2));
  }
  iteration.finish(ranks, converged);
}

// ---- Eigenvector centrality: vector start; arguments tolerance, iterations.

void eigenvector_on_host(HostCall& call) {
  std::vector<double> values = vector_of_call(call, 3);
  const bool converged =
      networks::eigenvector(arcs_of_call(call), call.arguments.integer(2), call.arguments.real(1), values);
  give_ranks(call, values, converged);
}

// buffers: sums, squares (one), values, next, terms
void normal_step(const StepParts& s) {
  ir::Builder& b = s.b;
  const Value norm = b.sqrt(s.load(1, s.word(0)));
  const Value next = b.div(s.load(0), b.select(b.eq(norm, s.real(0)), s.real(1), norm));
  s.store(3, next);
  s.store(4, b.abs(b.sub(next, s.load(2))));
}

void eigenvector_on_device(DeviceCall& call) {
  Iteration iteration(call);
  Ref<runtime::Buffer> values = iteration.begin_with(3);
  bool converged = false;
  for (int64_t k = 0; k < call.arguments.integer(2) && !converged; ++k) {
    iteration.spread(values->data(), values->data());
    run_step(iteration.launcher(), "squares", iteration.nodes(),
             {{iteration.sums(), real}, {iteration.terms(), real, written}}, {},
             [](const StepParts& s) { s.store(1, s.b.mul(s.load(0), s.load(0))); });
    const Ref<runtime::Buffer> squares = sum_all(iteration.launcher(), iteration.nodes(), iteration.terms());
    run_step(iteration.launcher(), "normal vector", iteration.nodes(),
             {{iteration.sums(), real},
              {squares->data(), real},
              {values->data(), real},
              {iteration.next(), real, written},
              {iteration.terms(), real, written}},
             {}, normal_step);
    converged = iteration.has_settled(values, call.arguments.real(1));
  }
  iteration.finish(values, converged);
}

// ---- Katz centrality: vectors start, beta; arguments alpha, tolerance, iterations.

void katz_on_host(HostCall& call) {
  std::vector<double> values = vector_of_call(call, 3);
  const bool converged = networks::katz(arcs_of_call(call), call.arguments.real(1), values_of_call<double>(call, 4),
                                        call.arguments.integer(3), call.arguments.real(2), values);
  give_ranks(call, values, converged);
}

// buffers: sums, beta, values, next, terms; number: alpha
void katz_step(const StepParts& s) {
  const Value next = s.b.add(s.b.mul(s.real_number(0), s.load(0)), s.load(1));
  s.store(3, next);
  s.store(4, s.b.abs(s.b.sub(next, s.load(2))));
}

void katz_on_device(DeviceCall& call) {
  Iteration iteration(call);
  Ref<runtime::Buffer> values = iteration.begin_with(3);
  bool converged = false;
  for (int64_t k = 0; k < call.arguments.integer(3) && !converged; ++k) {
    iteration.spread(values->data(), nullptr);
    run_step(iteration.launcher(), "next values", iteration.nodes(),
             {{iteration.sums(), real},
              {iteration.operand(4), real},
              {values->data(), real},
              {iteration.next(), real, written},
              {iteration.terms(), real, written}},
             {as_number(call.arguments.real(1))}, katz_step);
    converged = iteration.has_settled(values, call.arguments.real(2));
  }
  iteration.finish(values, converged);
}

bool has_nodes(const ops::CallView& call) { return call.operand(0).size() > 1; }

/// About so many iterations; NetworkX's limits are never reached on graphs of the real world.
ops::Cost cost_of_ranks(const ops::CallView& call) {
  return cost_of_rows("network ranks", call, {.rounds = 25, .steps = 1.2, .bytes = 40, .launches = 12});
}

constexpr auto integer = ops::ParameterKind::integer;
constexpr auto number = ops::ParameterKind::real;
constexpr auto boolean = ops::ParameterKind::boolean;

}  // namespace

void add_network_ranks(Table& table) {
  table.add({.routine = {.name = "page_rank",
                         .doc = "PageRank by power iteration, and whether it converged.",
                         .parameters = {{"offsets"},
                                        {"sources"},
                                        {"weights"},
                                        {"strengths"},
                                        {"start"},
                                        {"personalization"},
                                        {"dangling"},
                                        {"weighted", boolean, 1},
                                        {"alpha", number, 0.85},
                                        {"tolerance", number, 1e-6},
                                        {"iterations", integer, 100}},
                         .result_count = 2,
                         .infer = check_ranks,
                         .cost = cost_of_ranks,
                         .time = ops::CallTime::at_call},
             .on_host = rank_on_host,
             .on_device = rank_on_device,
             .suits_device = has_nodes});
  table.add({.routine = {.name = "eigenvector_centrality",
                         .doc = "The leading eigenvector of A + I by power iteration, and whether it converged.",
                         .parameters = {{"offsets"},
                                        {"sources"},
                                        {"weights"},
                                        {"start"},
                                        {"weighted", boolean, 1},
                                        {"tolerance", number, 1e-6},
                                        {"iterations", integer, 100}},
                         .result_count = 2,
                         .infer = check_ranks,
                         .cost = cost_of_ranks,
                         .time = ops::CallTime::at_call},
             .on_host = eigenvector_on_host,
             .on_device = eigenvector_on_device,
             .suits_device = has_nodes});
  table.add({.routine = {.name = "katz_centrality",
                         .doc = "x = alpha A x + beta by iteration, and whether it converged.",
                         .parameters = {{"offsets"},
                                        {"sources"},
                                        {"weights"},
                                        {"start"},
                                        {"beta"},
                                        {"weighted", boolean, 1},
                                        {"alpha", number, 0.1},
                                        {"tolerance", number, 1e-6},
                                        {"iterations", integer, 1000}},
                         .result_count = 2,
                         .infer = check_ranks,
                         .cost = cost_of_ranks,
                         .time = ops::CallTime::at_call},
             .on_host = katz_on_host,
             .on_device = katz_on_device,
             .suits_device = has_nodes});
}

}  // namespace tessera::routines
