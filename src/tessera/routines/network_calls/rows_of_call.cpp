#include "tessera/routines/network_calls/rows_of_call.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines {

using ir::Value;

namespace {

constexpr const char* no_rows =
    "the offsets and targets are no rows of neighbours: offsets grow from 0 to the number of targets, which are below "
    "the number of rows";

}  // namespace

void check_operand(const ops::CallView& call, int k, DType dtype) {
  const View& operand = call.operand(k);
  require<TypeError>(operand.dtype == dtype && operand.ndim() == 1, "operand {} has {} axes of {}, not one of {}", k,
                     operand.ndim(), operand.dtype, dtype);
}

void check_row_types(const ops::CallView& call, int k) {
  check_operand(call, k, DType::int64);
  check_operand(call, k + 1, DType::int32);
  require<ValueError>(call.operand(k).size() > 0, "offsets have an element more than there are rows");
}

networks::CsrView rows_of_call(HostCall& call, int k) {
  const networks::CsrView rows{values_of_call<int64_t>(call, k), values_of_call<networks::Node>(call, k + 1)};
  const int64_t nodes = rows.nodes();
  bool right = rows.offsets.front() == 0 && rows.offsets.back() == rows.arcs();
  for (int64_t v = 0; right && v < nodes; ++v) right = rows.offsets[v] <= rows.offsets[v + 1];
  networks::Node low = 0, high = -1;
  for (networks::Node target : rows.targets) low = std::min(low, target), high = std::max(high, target);
  require<ValueError>(right && low >= 0 && high < nodes, no_rows);
  return rows;
}

DeviceRows rows_of_call(DeviceCall& call, int k) {
  const DeviceRows rows(call.operand(k), call.operand(k + 1));
  Launcher& launcher = call.launcher;
  const Kept *known = launcher.find_kept(k, "rows"), *others = launcher.find_kept(k + 1, "targets of rows");
  if (known && others && known->numbers[0] == rows.arcs && others->numbers[0] == rows.nodes) return rows;
  const Ref<runtime::Buffer> falls = launcher.allocate(rows.nodes + 1, DType::int64);
  run_step(launcher, "check offsets", rows.nodes + 1,
           {{rows.offsets, DType::int64}, {falls->data(), DType::int64, StepBuffer::written}}, {rows.nodes, rows.arcs},
           [](const StepParts& s) {
             const Value own = s.load(0), next = s.load(0, s.b.min(s.b.add(s.i, s.word(1)), s.number(0)));
             const Value least = s.b.select(s.b.eq(s.i, s.word(0)), own, s.b.sub(next, own));
             const Value is_wrong_end = s.b.bit_and(s.b.eq(s.i, s.number(0)), s.b.ne(own, s.number(1)));
             const Value is_wrong_start = s.b.bit_and(s.b.eq(s.i, s.word(0)), s.b.ne(own, s.word(0)));
             s.store(1, s.b.select(s.b.bit_or(is_wrong_end, is_wrong_start), s.word(-1), least));
           });
  // Of the first row the least is its own offset, 0: a first row that ends before it begins ends below 0.
  bool right = find_extremes(launcher, DType::int64, rows.nodes + 1, falls->data()).low >= 0;
  if (right && rows.nodes > 0) right = fetch_one<int64_t>(launcher, rows.offsets + 8) >= 0;
  if (right && rows.arcs > 0) {
    const library::Extremes found = find_extremes(launcher, DType::int32, rows.arcs, rows.targets);
    right = found.low >= 0 && found.high < rows.nodes;
  }
  require<ValueError>(right, no_rows);
  launcher.keep(k, "rows", {.buffers = {}, .numbers = {rows.arcs, 0}});
  launcher.keep(k + 1, "targets of rows", {.buffers = {}, .numbers = {rows.nodes, 0}});
  return rows;
}

void check_count(const CallBase& call, int k, int64_t count) {
  require<ValueError>(call.operand(k).size() == count, "operand {} has {} elements, not {}", k, call.operand(k).size(),
                      count);
}

void give(DeviceCall& call, int k, int64_t count, const char* values, DType dtype) {
  call.make_result(k, std::span(&count, 1), dtype);
  const StepBuffer to{call.result(k).data, dtype, StepBuffer::written};
  run_step(call.launcher, "give", count, {{values, dtype}, to}, {}, [](const StepParts& s) { s.store(1, s.load(0)); });
}

void give_number(DeviceCall& call, int k, int64_t number) {
  const int64_t one = 1;
  call.make_result(k, std::span(&one, 1), DType::int64);
  run_step(call.launcher, "give number", 1, {{call.result(k).data, DType::int64, StepBuffer::written}}, {number},
           [](const StepParts& s) { s.store(0, s.number(0)); });
}

ops::Cost cost_of_rows(std::string_view op, const ops::CallView& call, const RowWork& work) {
  const double elements = static_cast<double>(call.operand(0).size()) + static_cast<double>(call.operand(1).size());
  return {.op = op,
          .host_steps = work.rounds * work.steps * elements,
          .device_bytes = work.rounds * work.bytes * elements,
          .launches = static_cast<int>(work.rounds * work.launches),
          .synchronisations = static_cast<int>(work.rounds * work.synchronisations),
          .making = 0.2};
}

}  // namespace tessera::routines
