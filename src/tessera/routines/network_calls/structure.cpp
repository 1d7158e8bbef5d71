// Core numbers by taking nodes away degree by degree, triangles by intersections of rows.
#include "tessera/routines/networks/structure.h"

#include "tessera/base/error.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/routines/list.h"
#include "tessera/routines/neighbours/advance.h"
#include "tessera/routines/neighbours/common.h"
#include "tessera/routines/neighbours/reduce.h"
#include "tessera/routines/network_calls/rounds.h"
#include "tessera/routines/network_calls/rows_of_call.h"
#include "tessera/routines/select/selection.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;
using networks::CsrView;

namespace {

void check_both(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call, 0);
  check_row_types(call, 2);
}

void cores_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call, 0), back = rows_of_call(call, 2);
  require<ValueError>(rows.nodes() == back.nodes(), "the rows of arcs and of reversed arcs are not as many");
  give(call, 0, networks::core_numbers(rows, call.arguments.boolean(0) ? back : CsrView{}), whole);
}

/// Degrees of what is left of a graph. Those of nodes that were taken away are huge, however often they are lowered.
class Remainder {
 public:
  static constexpr int64_t gone = int64_t{1} << 62;

  Remainder(Launcher& launcher, const DeviceRows& rows, const DeviceRows* back)
      : launcher_(launcher),
        rows_(rows),
        back_(back),
        degrees_(launcher.allocate(rows.nodes, whole)),
        cores_(launcher.allocate(rows.nodes, whole)) {
    const char* others = back ? back->offsets : rows.offsets;
    run_step(launcher, "degrees", rows.nodes,
             {{rows.offsets, whole}, {others, whole}, {degrees_->data(), whole, written}}, {back ? 1 : 0},
             [](const StepParts& s) {
               const Value after = s.b.add(s.i, s.word(1));
               const Value in = s.b.sub(s.load(1, after), s.load(1));
               s.store(2, s.b.add(s.b.sub(s.load(0, after), s.load(0)), s.b.mul(s.number(0), in)));
             });
  }

  int64_t least_degree() { return find_extremes(launcher_, whole, rows_.nodes, degrees_->data()).low; }
  const char* cores() const { return cores_->data(); }

  /// Takes away the nodes of degree k and less, once; how many there were.
  int64_t take_away(int64_t k) {
    const Ref<runtime::Buffer> mask = launcher_.allocate(rows_.nodes, DType::boolean);
    run_step(launcher_, "low degrees", rows_.nodes,
             {{degrees_->data(), whole}, {mask->data(), DType::boolean, written}}, {k},
             [](const StepParts& s) { s.store(1, s.b.le(s.load(0), s.number(0))); });
    Selection selection(launcher_, DType::boolean, rows_.nodes, mask->data());
    const int64_t count = selection.count();
    if (count == 0) return 0;
    const Ref<runtime::Buffer> nodes = launcher_.allocate(count, whole);
    const char* out = nodes->data();
    selection.find(std::span(&rows_.nodes, 1), std::span(&out, 1));
    run_step(launcher_, "take nodes away", count,
             {{nodes->data(), whole}, {degrees_->data(), whole, changed}, {cores_->data(), whole, changed}}, {k, gone},
             [](const StepParts& s) {
               s.store(1, s.number(1), s.load(0));
               s.store(2, s.number(0), s.load(0));
             });
    lower(rows_, count, nodes->data());
    if (back_) lower(*back_, count, nodes->data());
    return count;
  }

 private:
  void lower(const DeviceRows& rows, int64_t count, const char* nodes) {
    const FrontierArcs arcs = advance(launcher_, rows, count, nodes);
    if (arcs.count == 0) return;
    run_step(launcher_, "lower degrees", arcs.count,
             {{arcs.arcs->data(), whole}, {rows.targets, DType::int32}, {degrees_->data(), whole, changed}}, {},
             [](const StepParts& s) { s.atomic(ir::AtomicKind::add, 2, s.word(-1), s.load_word(1, s.load(0))); });
  }

  Launcher& launcher_;
  DeviceRows rows_;
  const DeviceRows* back_;
  Ref<runtime::Buffer> degrees_, cores_;
};

void cores_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call, 0), back = rows_of_call(call, 2);
  require<ValueError>(rows.nodes == back.nodes, "the rows of arcs and of reversed arcs are not as many");
  Remainder rest(call.launcher, rows, call.arguments.boolean(0) ? &back : nullptr);
  int64_t left = rows.nodes;
  for (int64_t k = 0; left > 0; ++k) {
    k = std::max(k, rest.least_degree());
    while (const int64_t taken = rest.take_away(k)) left -= taken;
  }
  give(call, 0, rows.nodes, rest.cores(), whole);
}

void triangles_on_host(HostCall& call) { give(call, 0, networks::triangles(rows_of_call(call)), whole); }

void triangles_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call);
  Launcher& launcher = call.launcher;
  const Ref<runtime::Buffer> from = RowPieces::rows_of_arcs(launcher, rows), counts = filled(launcher, rows.nodes, 0);
  // Each edge once, for both ends.
  run_step(
      launcher, "triangles of edges", rows.arcs,
      {{rows.offsets, whole}, {rows.targets, DType::int32}, {from->data(), whole}, {counts->data(), whole, changed}},
      {}, [](const StepParts& s) {
        const Value u = s.load(2), v = s.load_word(1, s.i);
        s.d.when(s.b.lt(u, v), [&] {
          const Value count = common_count(s, 0, 1, u, v);
          s.d.when(s.b.gt(count, s.word(0)), [&] {
            s.atomic(ir::AtomicKind::add, 3, count, u);
            s.atomic(ir::AtomicKind::add, 3, count, v);
          });
        });
      });
  call.make_result(0, std::span(&rows.nodes, 1), whole);
  run_step(launcher, "halves", rows.nodes, {{counts->data(), whole}, {call.result().data, whole, written}}, {},
           [](const StepParts& s) { s.store(1, s.b.binary(ir::Opcode::shift_right, s.load(0), s.word(1))); });
}

}  // namespace

void add_network_structure(Table& table) {
  table.add(
      {.routine = {.name = "core_numbers",
                   .doc = "The largest k for which each node is in a subgraph of degrees k and more.",
                   .parameters = {{"offsets"},
                                  {"targets"},
                                  {"back_offsets"},
                                  {"sources"},
                                  {"both", ops::ParameterKind::boolean, 1}},
                   .infer = check_both,
                   .cost =
                       [](const ops::CallView& call) {
                         return cost_of_rows(
                             "core numbers", call,
                             {.rounds = 1, .steps = 15, .bytes = 1000, .launches = 5000, .synchronisations = 2000});
                       },
                   .time = ops::CallTime::at_call},
       .on_host = cores_on_host,
       .on_device = cores_on_device,
       .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 1; }});
  table.add({.routine = {.name = "triangles",
                         .doc = "Triangles at each node; rows are in increasing order, without loops, and both ways.",
                         .parameters = {{"offsets"}, {"targets"}},
                         .infer = [](const ops::CallView& call, std::span<ops::ResultType>) { check_row_types(call); },
                         .cost =
                             [](const ops::CallView& call) {
                               return cost_of_rows("triangles", call,
                                                   {.rounds = 1, .steps = 80, .bytes = 20'000, .launches = 8});
                             },
                         .time = ops::CallTime::at_call},
             .on_host = triangles_on_host,
             .on_device = triangles_on_device,
             .suits_device = [](const ops::CallView& call) { return call.operand(1).size() > 0; }});
}

}  // namespace tessera::routines
