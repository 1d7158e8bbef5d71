// at: an op applied in place at a list of elements, one after the other.
#include "tessera/routines/at/at.h"

#include <optional>

#include "tessera/base/error.h"
#include "tessera/ops/run_at.h"
#include "tessera/routines/at/kernels.h"
#include "tessera/routines/bins/count.h"
#include "tessera/routines/list.h"
#include "tessera/routines/scan/scan.h"
#include "tessera/routines/sort/sort.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// Operands: the target, C-order numbers of its elements, which are in range, and values for ops of two operands.
/// Arguments: number of the op; number of its signature; whether to look for underflow.
AtOp op_of(const ops::Arguments& arguments) {
  const ops::Op& op = ops::OpTable::standard()[static_cast<ops::OpId>(arguments.integer(0))];
  return {op, op.signatures[static_cast<size_t>(arguments.integer(1))]};
}

/// The atomic that performs the op on integers, in any order.
std::optional<ir::AtomicKind> atomic_of(const AtOp& at, DType target) {
  if (at.op.nin != 2 || !is_integer(target) || itemsize(target) < 4 || at.signature.in[0] != target ||
      at.signature.in[1] != target)
    return {};
  if (at.op.name == "subtract") return ir::AtomicKind::sub;
  const std::optional<ir::ReduceKind> kind = ops::reduce_kind_of(at.op, target);
  if (!kind || at.signature.out[0] != target) return {};
  switch (*kind) {
    case ir::ReduceKind::add: return ir::AtomicKind::add;
    case ir::ReduceKind::min:
    case ir::ReduceKind::min_num: return ir::AtomicKind::min;
    case ir::ReduceKind::max:
    case ir::ReduceKind::max_num: return ir::AtomicKind::max;
    case ir::ReduceKind::bit_and: return ir::AtomicKind::bit_and;
    case ir::ReduceKind::bit_or: return ir::AtomicKind::bit_or;
    case ir::ReduceKind::bit_xor: return ir::AtomicKind::bit_xor;
    case ir::ReduceKind::mul: return {};
  }
  return {};
}

/// The narrowest type that can sort numbers below `count`.
DType narrowest(int64_t count) {
  if (count <= 1 << 8) return DType::uint8;
  if (count <= 1 << 16) return DType::uint16;
  return count <= int64_t{1} << 32 ? DType::uint32 : DType::int64;
}

/// The order that sorts the places.
Ref<runtime::Buffer> sort_places(Launcher& launcher, const AtPlaces& places, int64_t size) {
  const Ref<runtime::Buffer> order = launcher.allocate(places.count, DType::int64);
  const DType key = narrowest(size);
  if (key == DType::int64) {
    argsort_rows(launcher, {key, 1, places.count}, places.numbers, order->data());
    return order;
  }
  const Ref<runtime::Buffer> keys = launcher.allocate(places.count, key);
  launcher.run({.name = format("narrow_places {}", name(key)),
                .make = [=] { return narrow_places_kernel(key); },
                .extents = {places.count},
                .buffers = {places.numbers, keys->data()},
                .scalars = {}});
  argsort_rows(launcher, {key, 1, places.count}, keys->data(), order->data());
  return order;
}

/// Numbers of the first and, one behind, the last element of each place's run: as many as places, and one.
Ref<runtime::Buffer> find_begins(Launcher& launcher, const AtPlaces& places, int64_t size) {
  const Ref<runtime::Buffer> counts = launcher.allocate(size, DType::int64),
                             begins = launcher.allocate(size + 1, DType::int64);
  launcher.device().stream().fill_zero(counts->data(), static_cast<size_t>(8 * size));
  launcher.device().stream().fill_zero(begins->data(), 8);
  count_bins(launcher, places.numbers, places.count, counts->data(), size);
  scan_lanes(launcher, {library::ScanOp::add, DType::int64, DType::int64}, {1, size, 1}, counts->data(),
             begins->data() + 8);
  return begins;
}

/// The order that sorts the places, and where their runs begin in it. They are kept: what is added up at the same
/// places again and again, such as along the edges of a graph, is sorted once.
Kept runs_of(Launcher& launcher, const AtPlaces& places, int64_t size) {
  constexpr std::string_view what = "runs of places";
  const Kept* known = launcher.find_kept(places.operand, what);
  if (known && known->numbers[0] == size) return *known;
  Kept kept{
      .buffers = {known ? known->buffers[0] : sort_places(launcher, places, size), find_begins(launcher, places, size)},
      .numbers = {size}};
  launcher.keep(places.operand, what, kept);
  return kept;
}

/// The order that sorts the places, and the sorted places, for few values at places far apart; kept, too.
Kept order_of(Launcher& launcher, const AtPlaces& places, int64_t size) {
  constexpr std::string_view what = "order of places";
  if (const Kept* known = launcher.find_kept(places.operand, what)) return *known;
  const Ref<runtime::Buffer> order = sort_places(launcher, places, size),
                             sorted = launcher.allocate(places.count, DType::int64);
  gather_rows(launcher, {DType::int64, 1, places.count}, places.numbers, order->data(), sorted->data());
  Kept kept{.buffers = {order, sorted}};
  launcher.keep(places.operand, what, kept);
  return kept;
}

void change_places(Launcher& launcher, ir::AtomicKind kind, const Elements& target, const AtPlaces& places) {
  const DType dtype = target.dtype();
  launcher.run({.name = format("change_places {} {}", static_cast<int>(kind), name(dtype)),
                .make = [=] { return change_places_kernel(kind, dtype); },
                .extents = {places.count},
                .buffers = {places.numbers, places.values, target.data},
                .scalars = {places.step}});
}

/// A thread or a block for each place.
void apply_runs(Launcher& launcher, const AtOp& at, const Elements& target, const AtPlaces& places,
                const char* events) {
  constexpr int64_t long_run = 128;
  const DType dtype = target.dtype(), value = at.signature.in[1];
  const int64_t size = target.size();
  const Kept kept = runs_of(launcher, places, size);
  const bool is_long = places.count / size >= long_run && !is_complex(dtype) && !is_complex(value) &&
                       itemsize(dtype) >= 4 && itemsize(value) >= 4;
  launcher.run({.name = format("{} {} {} {} {}", is_long ? "reduce_long_runs" : "reduce_runs", at.op.name,
                               name(at.signature.in[0]), name(at.signature.out[0]), name(dtype)),
                .make =
                    [&at, dtype, is_long] {
                      return is_long ? reduce_long_runs_kernel(at.op, at.signature, dtype)
                                     : reduce_runs_kernel(at.op, at.signature, dtype);
                    },
                .extents = is_long ? Dims{size, long_run_threads} : Dims{size},
                .buffers = {kept.buffers[1]->data(), kept.buffers[0]->data(), places.values, target.data, events},
                .scalars = {},
                .is_block = is_long});
  launcher.flush();
}

}  // namespace

void apply_at(Launcher& launcher, const AtOp& at, const Elements& target, const AtPlaces& places, const char* events) {
  const DType dtype = target.dtype();
  if (const auto kind = atomic_of(at, dtype)) return change_places(launcher, *kind, target, places);
  if (places.values && places.step && target.size() <= 2 * places.count)
    return apply_runs(launcher, at, target, places, events);
  const Kept kept = order_of(launcher, places, target.size());
  const char *const order = kept.buffers[0]->data(), *const sorted = kept.buffers[1]->data();
  std::vector<const char*> buffers{sorted};
  Ref<runtime::Buffer> values;
  if (places.step) {
    const DType type = at.signature.in[1];
    values = launcher.allocate(places.count, type);
    gather_rows(launcher, {type, 1, places.count}, places.values, order, values->data());
  }
  if (places.values) buffers.push_back(values ? values->data() : places.values);
  buffers.insert(buffers.end(), {target.data, events});
  launcher.run({.name = format("reduce_places {} {} {} {}", at.op.name, name(at.signature.in[0]),
                               name(at.signature.out[0]), name(dtype)),
                .make = [&at, dtype] { return reduce_places_kernel(at.op, at.signature, dtype); },
                .extents = {places.count},
                .buffers = std::move(buffers),
                .scalars = {places.count, places.step}});
  launcher.flush();
}

namespace {

void infer_at(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& numbers = call.operand(1);
  const auto& table = ops::OpTable::standard();
  const int64_t number = call.arguments.integer(0), signature = call.arguments.integer(1);
  require<ValueError>(number >= 0 && number < static_cast<int64_t>(table.size()), "at: no op {}", number);
  const ops::Op& op = table[static_cast<ops::OpId>(number)];
  require<ValueError>(signature >= 0 && signature < static_cast<int64_t>(op.signatures.size()), "at: {} has no loop {}",
                      op.name, signature);
  require<TypeError>(op.nout == 1 && static_cast<size_t>(op.nin) + 1 == call.operands.size() && op.nin <= 2,
                     "at: {} of {} operands", op.name, call.operands.size() - 1);
  require<TypeError>(numbers.dtype == DType::int64, "at: places must be int64");
  results[0] = {{}, DType::int32};
  if (op.nin == 1) return;
  const View& values = call.operand(2);
  require<TypeError>(values.dtype == op_of(call.arguments).signature.in[1], "at: values of {}", values.dtype);
  require<ShapeError>(values.size() == 1 || values.size() == numbers.size(), "at: {} values for {} places",
                      values.size(), numbers.size());
}

AtPlaces places_of(const CallBase& call) {
  const Elements& numbers = call.operand(1);
  if (call.operands.size() == 2) return {numbers.data, numbers.size(), nullptr, 0, 1};
  return {numbers.data, numbers.size(), call.operand(2).data, call.operand(2).size() > 1 ? 1 : 0, 1};
}

void at_on_host(HostCall& call) {
  const Elements& target = call.operand();
  const AtOp at = op_of(call.arguments);
  const AtPlaces places = places_of(call);
  call.make_result(0, {}, DType::int32);
  const std::span<const int64_t> numbers(call.operand(1).as<int64_t>(), static_cast<size_t>(places.count));
  const int64_t step = places.step ? call.operand(2).view.itemsize() : 0;
  *call.result().as<uint32_t>() = ops::run_at(ops::EagerLoop::of(at.op, at.signature), target.data, target.view,
                                              numbers, places.values, step, call.arguments.boolean(2));
}

void at_on_device(DeviceCall& call) {
  call.make_result(0, {}, DType::int32);
  call.launcher.device().stream().fill_zero(call.result().data, 4);
  apply_at(call.launcher, op_of(call.arguments), call.operand(), places_of(call), call.result().data);
}

ops::Cost cost_of_at(const ops::CallView& call) {
  const bool by_atomics = atomic_of(op_of(call.arguments), call.operand(0).dtype).has_value();
  return ops::cost_by_element("at", call.operand(1).size(), 8, by_atomics ? 100 : 600, !by_atomics,
                              by_atomics ? 2 : 30);
}

bool at_suits_device(const ops::CallView& call) {
  const AtOp at = op_of(call.arguments);
  const ir::ErrorRule errors = ops::errors_of(at.op, at.signature.in[0]);
  const int64_t count = call.operand(1).size();
  return count > 0 && count < int64_t{1} << 32 && call.operand(0).size() > 0 && !call.arguments.boolean(2) &&
         (errors == ir::ErrorRule::none || errors == ir::ErrorRule::arithmetic);
}

}  // namespace

void add_at(Table& table) {
  using enum ops::ParameterKind;
  table.add({.routine = {.name = "at",
                         .doc = "An op applied in place at elements, one after the other; the floating-point events.",
                         .parameters = {{"a"},
                                        {"places"},
                                        {"values", arrays},
                                        {"op", integer},
                                        {"signature", integer},
                                        {"underflow", boolean, 0}},
                         .infer = infer_at,
                         .cost = cost_of_at,
                         .time = ops::CallTime::at_call,
                         .writes_first = true},
             .on_host = at_on_host,
             .on_device = at_on_device,
             .suits_device = at_suits_device});
}

}  // namespace tessera::routines
