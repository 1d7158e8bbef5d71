// Connected components by labels.
#include "tessera/routines/networks/components.h"

#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/neighbours/reduce.h"
#include "tessera/routines/network_calls/rounds.h"
#include "tessera/routines/network_calls/rows_of_call.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;
using networks::CsrView;

namespace {

// ---- component_labels: operands offsets, targets, and the rows of the reversed arcs; argument: whether those count.
// The result: the lowest node of each node's component.

void check_labels(const ops::CallView& call, std::span<ops::ResultType>) {
  check_row_types(call, 0);
  check_row_types(call, 2);
}

void labels_on_host(HostCall& call) {
  const CsrView rows = rows_of_call(call, 0), back = rows_of_call(call, 2);
  require<ValueError>(rows.nodes() == back.nodes(), "the rows of arcs and of reversed arcs are not as many");
  const auto found = networks::connected_components(rows, call.arguments.boolean(0) ? back : CsrView{});
  std::vector<int64_t> labels(rows.nodes());
  for (int64_t c = 0; c < found.count(); ++c)
    for (int64_t i = found.begins[c]; i < found.begins[c + 1]; ++i)
      labels[found.nodes[i]] = found.nodes[found.begins[c]];
  give(call, 0, labels, whole);
}

// buffers: least labels around, grandparents, parents, next parents
void hook(const StepParts& s) {
  const Value least = s.load(0);
  s.d.when(s.b.lt(least, s.load(1)), [&] {
    s.atomic(ir::AtomicKind::min, 3, least, s.load(2));
    s.atomic(ir::AtomicKind::min, 3, least, s.i);
  });
  s.atomic(ir::AtomicKind::min, 3, s.load(1), s.i);
}

/// Trees of labels that hook onto the least label around and are cut short (Zhang, Azad and Hu's FastSV, SIAM PP 2020).
/// A round reads what the last one wrote, so the order of threads does not show.
void labels_on_device(DeviceCall& call) {
  const DeviceRows rows = rows_of_call(call, 0), back = rows_of_call(call, 2);
  Launcher& launcher = call.launcher;
  const int64_t nodes = rows.nodes;
  require<ValueError>(nodes == back.nodes, "the rows of arcs and of reversed arcs are not as many");
  const bool both = call.arguments.boolean(0);
  const RowPieces pieces(launcher, rows, 0), others(launcher, both ? back : rows, both ? 2 : 0);
  Ref<runtime::Buffer> parents = filled(launcher, nodes, 0), next = filled(launcher, nodes, 0),
                       above = filled(launcher, nodes, 0), least = filled(launcher, nodes, 0),
                       least_of_both = filled(launcher, nodes, 0);
  number_words(launcher, nodes, parents->data());
  number_words(launcher, nodes, above->data());
  for (int64_t round = 0;; ++round) {
    if (round > most_rounds) throw NoDeviceCode{};
    NeighbourReduction around{.op = NeighbourOp::minimum,
                              .dtype = whole,
                              .values = above->data(),
                              .weights = nullptr,
                              .start = above->data()};
    pieces.reduce(around, least->data());
    if (both) {
      around.start = least->data();
      others.reduce(around, least_of_both->data());
    }
    const char* found = (both ? least_of_both : least)->data();
    if (Differences(launcher, nodes, found, above->data()).count() == 0) break;
    copy_words(launcher, nodes, parents->data(), next->data());
    run_step(launcher, "hook", nodes,
             {{found, whole}, {above->data(), whole}, {parents->data(), whole}, {next->data(), whole, changed}}, {},
             hook);
    std::swap(parents, next);
    run_step(launcher, "grandparents", nodes, {{parents->data(), whole}, {above->data(), whole, written}}, {},
             [](const StepParts& s) { s.store(1, s.load(0, s.load(0))); });
  }
  give(call, 0, nodes, above->data(), whole);
}

}  // namespace

void add_network_components(Table& table) {
  table.add({.routine = {.name = "component_labels",
                         .doc = "The lowest node of each node's connected component.",
                         .parameters = {{"offsets"},
                                        {"targets"},
                                        {"back_offsets"},
                                        {"sources"},
                                        {"both", ops::ParameterKind::boolean, 1}},
                         .infer = check_labels,
                         .cost =
                             [](const ops::CallView& call) {
                               return cost_of_rows(
                                   "component labels", call,
                                   {.rounds = 1, .steps = 8, .bytes = 250, .launches = 100, .synchronisations = 10});
                             },
                         .time = ops::CallTime::at_call},
             .on_host = labels_on_host,
             .on_device = labels_on_device,
             .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 1; }});
}

}  // namespace tessera::routines
