#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/base/unlocked.h"
#include "tessera/eager/host_array.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/reading.h"
#include "tessera/engine/record.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/common_ops.h"
#include "tessera/layout/axis_order.h"
#include "tessera/library/host/copy.h"

namespace tessera {

using engine::CommonOps;
using graph::Storage;
using graph::Version;

namespace {

/// Layout of elementwise results: C order, or the operands' order when they agree on another one (NumPy's 'K').
View result_layout(const Dims& shape, DType dtype, std::span<const Operand> operands) {
  SmallVector<const View*, 4> views;
  for (const Operand& operand : operands) {
    if (!operand.is_scalar()) views.push_back(&operand.array.view);
  }
  return common_layout(shape, dtype, {views.data(), views.size()});
}

bool covers_whole(const View& view, int64_t nbytes) {
  return view.offset == 0 && view.size() * view.itemsize() == nbytes && view.is_injective() &&
         view.byte_range() == std::pair<int64_t, int64_t>(0, nbytes);
}

constexpr ErrorState silent{ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore};

/// Whether computing the op may raise floating-point events that are not ignored; copies within one dtype raise none.
bool may_tell(const ops::Op& op, DType operand, const ErrorState& errors) {
  const ir::ErrorRule rule = ops::errors_of(op, operand);
  return rule != ir::ErrorRule::none && rule != ir::ErrorRule::cast && errors != silent;
}

/// The shape of an operation's results. Throws ShapeError where an output is of another one.
Dims joined_shape(const ops::Op& op, std::span<const Operand> operands, std::span<const Array> outputs,
                  const Operand* where) {
  Dims shape;
  bool first = true;
  auto join = [&](const Dims& other) {
    if (first) {
      shape = other;
      first = false;
    } else if (shape != other) {
      shape = broadcast_shapes(op.name, shape, other);
    }
  };
  for (const Operand& operand : operands) {
    if (!operand.is_scalar()) join(operand.array.shape());
  }
  if (where && !where->is_scalar()) join(where->array.shape());
  for (const Array& output : outputs) {
    if (!output) continue;
    join(output.shape());
    require<ShapeError>(shape == output.shape(),
                        "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                        output.shape(), shape);
  }
  return shape;
}

/// An operand for which the op computes an ordinary number.
Scalar harmless_operand(const ops::Op& op, DType dtype) {
  const auto [low, high] = op.samples;
  return Scalar::of_float(dtype, low < 1.0 && 1.0 < high ? 1.0 : 0.5 * (low + high));
}

Array share(const View& view, const Ref<Version>& version) {
  Array array{Ref<Storage>(Storage::make()), view};
  array.storage->current = version;
  return array;
}

}  // namespace

Array Recording::map(std::string_view name, std::initializer_list<Operand> operands) {
  const ops::Op* op = ops::OpTable::standard().find(name);
  require<ValueError>(op != nullptr, "map: there is no op named '{}'", name);
  std::vector<ops::OperandType> types;
  for (const Operand& operand : operands) types.push_back({operand.dtype(), operand.weak});
  const ops::Signature& signature = ops::resolve(*op, types);
  std::array<Array, ops::max_results> results;
  map(*op, signature, {operands.begin(), operands.end()}, {results.data(), signature.out.size()}, nullptr, {});
  return results[0];
}

void Recording::map(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                    std::span<Array> outputs, const Operand* where, const Context& context) {
  const Dims shape = joined_shape(op, operands, outputs, where);
  // Elements that `where` leaves out are computed as well, from operands that raise no floating-point events.
  // No operand is known to be harmless for a user's function: its events are not told with `where`.
  std::vector<Operand> chosen;
  Context quiet = context;
  if (where && op.user) {
    quiet.errors = silent;
  } else if (where && may_tell(op, signature.in[0], context.errors)) {
    for (const Operand& operand : operands) {
      const Operand choices[] = {*where, operand, Operand(harmless_operand(op, operand.dtype()))};
      const Dims both = broadcast_shapes(op.name, where->is_scalar() ? Dims{} : where->array.shape(),
                                         operand.is_scalar() ? Dims{} : operand.array.shape());
      chosen.push_back(engine::record_map(*state_, *CommonOps::get().select,
                                          CommonOps::get().select_signature(operand.dtype()), 0, choices,
                                          result_layout(both, operand.dtype(), choices), context));
    }
    operands = chosen;
  }
  // All results are computed before any is stored: an output may be an operand too.
  std::array<Array, ops::max_results> results;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const DType dtype = signature.out[k];
    const bool follows =
        outputs[k] && covers_whole(outputs[k].view, outputs[k].storage->current->nbytes) && outputs[k].dtype() == dtype;
    const View layout = follows ? outputs[k].view : result_layout(shape, dtype, operands);
    results[k] = engine::record_map(*state_, op, signature, static_cast<int>(k), operands, layout, quiet);
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (where) {
      const Array kept = outputs[k] ? outputs[k] : empty(shape, signature.out[k]);
      const ops::Signature& select = CommonOps::get().select_signature(kept.dtype());
      const Operand choices[] = {*where, results[k], kept};
      results[k] = engine::record_map(*state_, *CommonOps::get().select, select, 0, choices,
                                      layout_like(shape, kept.dtype(), kept.view), context);
    }
    if (outputs[k]) {
      assign(outputs[k], results[k], context);
    } else {
      outputs[k] = std::move(results[k]);
    }
  }
}

void Recording::assign(const Array& destination, const Operand& source, const Context& context) {
  if (!source.is_scalar()) return assign(destination, source.array, context);
  const View& target = destination.view;
  if (target.size() == 0) return;
  Storage& storage = *destination.storage;
  if (storage.pins > 0 || !covers_whole(target, storage.current->nbytes)) {
    return engine::record_write(*state_, destination, nullptr, source.scalar, context);
  }
  const ops::Signature& fill = CommonOps::get().fill_signature(target.dtype);
  storage.replace(engine::record_map(*state_, *CommonOps::get().fill, fill, 0, std::span(&source, 1), target, context)
                      .storage->current);
}

void Recording::assign(const Array& destination, const Array& source, const Context& context) {
  const View& target = destination.view;
  if (source.shape() == target.shape) return engine::assign_array(*state_, destination, source, context);
  Array from = source;
  // The right-hand side may have extra leading axes of length 1.
  while (from.ndim() > destination.ndim() && from.shape()[0] == 1) from.view = from.view.select(0, 0);
  if (from.shape() != target.shape) from.view = from.view.broadcast_to(target.shape);
  engine::assign_array(*state_, destination, from, context);
}

void engine::assign_array(State& state, const Array& destination, const Array& source, const Context& context) {
  const View& target = destination.view;
  const View& from = source.view;
  if (target.size() == 0) return;
  Storage& storage = *destination.storage;
  const Version& old = *storage.current;
  const bool same_version = source.storage->current == storage.current;
  const bool same_type = from.dtype == target.dtype;
  const Overlap relation = same_version ? overlap(from, target) : Overlap::disjoint;
  if (same_version && relation == Overlap::equal && same_type) return;
  if (storage.pins == 0 && covers_whole(target, old.nbytes)) {
    const bool alias = same_type && from.offset == 0 && from.strides == target.strides &&
                       source.storage->current->nbytes == old.nbytes && source.storage->pins == 0;
    if (alias) {
      storage.replace(source.storage->current);
    } else {
      const ops::Signature& copy = CommonOps::get().copy_signature(from.dtype);
      const Operand operand(source);
      storage.replace(
          record_map(state, *CommonOps::get().copy, copy, 0, std::span(&operand, 1), target, context).storage->current);
    }
    return;
  }
  const bool renames = storage.pins == 0 && 2 * target.size() * target.itemsize() >= old.nbytes;
  if (relation != Overlap::disjoint && relation != Overlap::equal && !renames) {
    const Operand operand(source);
    const Array kept = record_map(state, *CommonOps::get().copy, CommonOps::get().copy_signature(from.dtype), 0,
                                  std::span(&operand, 1), View::contiguous(from.shape, from.dtype), context);
    return record_write(state, destination, &kept, Scalar{}, context);
  }
  record_write(state, destination, &source, Scalar{}, context, same_version && relation == Overlap::disjoint);
}

Array Recording::join(std::span<const Array> arrays, int axis, const View& layout) {
  const engine::PlacedCall call(engine::own_recorder.recorder);
  std::vector<const Array*> operands;
  for (const Array& array : arrays) operands.push_back(&array);
  const double bytes = 2.0 * static_cast<double>(layout.itemsize());
  const ops::Cost cost =
      ops::cost_by_element("concatenate", layout.size(), 0.8, bytes, 0, static_cast<int>(arrays.size()));
  // On a device, or over ranks, the parts are written where they are to be.
  const bool is_recorded = state_->goes_to_device(operands, cost) || state_->goes_over_ranks(layout.size());
  const Array result = empty(layout.shape, layout.dtype, Order::k, &layout);
  char* to = is_recorded ? nullptr : Reading(*state_).write(result);
  int64_t at = 0;
  for (const Array& array : arrays) {
    const View part = result.view.slice(axis, at, 1, array.shape()[axis]);
    if (is_recorded)
      assign(result.with_view(part), array, {});
    else
      library::copy_view(Reading(*state_).read(array), array.view, to + part.offset, part);
    at += array.shape()[axis];
  }
  return result;
}

void Recording::call_together(std::span<const Array* const> operands, const ops::Cost& cost,
                              const std::function<void()>& body) {
  state_->windows.open_own();
  const engine::PlacedCall call(engine::own_recorder.recorder);
  state_->goes_to_device(operands, cost);
  body();
}

namespace {

/// Whether another axis than the last has the smallest stride; copying in tiles is then faster than any loop over rows.
bool is_transposed(const View& view) {
  const int last = view.ndim() - 1;
  for (int axis = 0; axis < last; ++axis)
    if (view.shape[axis] > 1 && view.strides[axis] != 0 && std::abs(view.strides[axis]) < std::abs(view.strides[last]))
      return true;
  return false;
}

/// Elements from which on such a copy runs at once.
constexpr int64_t tiled_elements = 128;

/// A copy in C order of a transposed array, made at once where the host has it and no device is chosen.
std::optional<Array> try_copy_tiles(engine::State& state, const Array& source) {
  if (source.size() <= tiled_elements || !eager::readable(source) || !is_transposed(source.view)) return {};
  const engine::PlacedCall call(engine::own_recorder.recorder);
  const double bytes = 2.0 * static_cast<double>(source.view.itemsize());
  const Array* const operands[] = {&source};
  if (state.goes_to_device(operands, ops::cost_by_element("transpose", source.size(), 1, bytes, 0, 1))) return {};
  Array result = Recording(state).empty(source.shape(), source.dtype());
  char* to = Reading(state).write(result);
  const char* from = Reading(state).read(source);
  const Ref<Version> held = source.storage->current;
  const Unlocked unlocked(state.hooks, source.size() >= engine::HostLimits::work_for_unlock);
  library::copy_view(from, source.view, to, result.view);
  return result;
}

}  // namespace

Array Recording::copy(const Array& source, DType dtype, Order order) {
  if (dtype == source.dtype() && order == Order::c)
    if (std::optional<Array> tiled = try_copy_tiles(*state_, source)) return *std::move(tiled);
  View layout = View::contiguous(source.shape(), dtype, order == Order::f ? Order::f : Order::c);
  if (order == Order::k) layout = layout_like(source.shape(), dtype, source.view);
  if (order == Order::a && source.view.is_f_contiguous()) layout = View::contiguous(source.shape(), dtype, Order::f);
  const Version& version = *source.storage->current;
  const bool alias = dtype == source.dtype() && source.storage->pins == 0 && source.view.offset == 0 &&
                     layout.strides == source.view.strides && version.nbytes == layout.size() * layout.itemsize();
  if (alias) return share(layout, source.storage->current);
  const Operand operand(source);
  return engine::record_map(*state_, *CommonOps::get().copy, CommonOps::get().copy_signature(source.dtype()), 0,
                            std::span(&operand, 1), layout, Context{});
}

Array Recording::reduce(const ops::Op& op, const Array& source, const ReduceOptions& options, const Context& context) {
  require<NotImplementedError>(op.reduce.has_value(), "{}.reduce has no reduction of its own", op.name);
  const DType dtype = options.dtype.value_or(source.dtype());
  const ops::Signature* signature = nullptr;
  for (const ops::Signature& s : op.signatures) {
    if (s.in[0] == dtype && s.in[1] == dtype) signature = &s;
  }
  require<TypeError>(signature != nullptr, "{}.reduce: no loop for {}", op.name, dtype);
  Array from = source;
  const Dims shape = from.shape();
  if (options.where) {
    std::optional<Scalar> neutral;
    if (op.identity) neutral = Scalar::of_int(DType::int64, *op.identity).cast_to(from.dtype());
    require<ValueError>(
        neutral || options.initial,
        "reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'",
        op.name);
    const Operand instead = neutral ? Operand(*neutral) : *options.initial;
    const Operand choices[] = {*options.where, from, instead};
    const Dims all =
        options.where->is_scalar() ? shape : broadcast_shapes(op.name, shape, options.where->array.shape());
    from = engine::record_map(*state_, *CommonOps::get().select, CommonOps::get().select_signature(from.dtype()), 0,
                              choices, View::contiguous(all, from.dtype()), context);
  }
  Array result = engine::record_reduction(*state_, op, *op.reduce, from, options.axes, signature->out[0], context);
  if (options.initial) {
    const Operand operands[] = {*options.initial, result};
    Array joined;
    map(op, *signature, operands, std::span(&joined, 1), nullptr, context);
    result = joined;
  }
  if (options.keepdims) {
    std::vector<int> axes(options.axes.begin(), options.axes.end());
    std::sort(axes.begin(), axes.end());
    for (int axis : axes) result.view = result.view.new_axis(axis);
  }
  return result;
}

}  // namespace tessera
