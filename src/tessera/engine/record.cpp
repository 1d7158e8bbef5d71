#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/engine/common_ops.h"
#include "tessera/engine/impl.h"
#include "tessera/profile/counters.h"

namespace tessera {

using engine::CommonOps;
using engine::Recorder;
using graph::Node;
using graph::NodeKind;
using graph::Storage;
using graph::Version;

namespace {

uint8_t wanted_events(const ErrorState& errors) {
  auto bit = [](ErrorMode mode, ir::FloatEvent event) { return mode == ErrorMode::ignore ? 0 : event; };
  return static_cast<uint8_t>(bit(errors.divide, ir::event_divide) | bit(errors.over, ir::event_overflow) |
                              bit(errors.under, ir::event_underflow) | bit(errors.invalid, ir::event_invalid));
}

/// Where elementwise results go: C order, or the order of the operands when they agree on another one (NumPy's 'K').
View result_layout(const Dims& shape, DType dtype, std::span<const Operand> operands) {
  for (const Operand& operand : operands) {
    if (operand.is_scalar() || operand.array.ndim() != static_cast<int>(shape.size())) continue;
    if (operand.array.shape() != shape) continue;
    return engine::layout_like(shape, dtype, operand.array.view);
  }
  return View::contiguous(shape, dtype);
}

bool covers_whole(const View& view, int64_t nbytes) {
  return view.offset == 0 && view.size() * view.itemsize() == nbytes && view.is_injective() &&
         view.byte_range() == std::pair<int64_t, int64_t>(0, nbytes);
}

Array fresh(const View& view, Version* version) {
  Array array;
  array.storage = Ref<Storage>(Storage::make());
  array.storage->current = Ref<Version>(version);
  array.view = view;
  return array;
}

}  // namespace

void Engine::Impl::fill_input(graph::Input& input, const Scalar& scalar, DType dtype) {
  input.version = nullptr;
  input.offset = 0;
  input.strides.clear();
  input.scalar = scalar.dtype == dtype ? scalar : scalar.cast_to(dtype);
  input.dtype = dtype;
}

void Engine::Impl::fill_input(graph::Input& input, const Array& array, const Dims& shape, bool& pinned) {
  if (Version* version = array.storage->current.get(); version->window && version->window != &recorder()) settle(*version);
  pinned |= array.storage->pins > 0;
  input.version = array.storage->current;
  input.offset = array.view.offset;
  input.dtype = array.view.dtype;
  if (array.view.shape == shape) {
    input.strides = array.view.strides;
  } else {
    const View view = array.view.broadcast_to(shape);
    input.strides = view.strides;
    input.offset = view.offset;
  }
}

void Engine::Impl::fill_input(graph::Input& input, const Operand& operand, const Dims& shape, DType scalar_type, bool& pinned) {
  if (operand.is_scalar()) {
    fill_input(input, operand.scalar, scalar_type);
  } else {
    fill_input(input, operand.array, shape, pinned);
  }
}

void Engine::Impl::after_record(Recorder& window, bool run_now) {
  profile::add(profile::Counter::ops_recorded);
  const int64_t due = run_now || !options.lazy ? window.end() : window.due(options.window_limit);
  if (due > window.begin()) run_until(window, due);
}

/// The version that node will make, and a storage that holds it. What no machine can address is refused at the call; less
/// may turn out to be a temporary that is never stored.
Array Engine::Impl::commit_fresh(Recorder& window, Node& node, const View& layout) {
  constexpr int64_t address_space = int64_t{1} << 47;
  const int64_t nbytes = layout.size() * layout.itemsize();
  if (nbytes > address_space) throw ArrayMemoryError(layout.shape, layout.dtype);
  Version* version = Version::make();
  version->nbytes = nbytes;
  node.out = Ref<Version>(version);
  Array out = fresh(layout, version);
  window.commit();
  return out;
}

graph::Node& Engine::Impl::next_map(Recorder& window, const ops::Op& op, const ops::Signature& signature, int result,
                                    const View& layout, const Context& context) {
  Node& node = window.next();
  node.kind = NodeKind::map;
  node.input_count = 0;
  node.result = static_cast<uint8_t>(result);
  node.events = op.errors == ir::ErrorRule::none ? 0 : wanted_events(context.errors);
  node.op = op.id;
  node.axes = 0;
  node.pinned = false;
  node.signature = &signature;
  node.site = context.site;
  node.shape = layout.shape;
  node.offset = layout.offset;
  node.strides = layout.strides;
  node.dtype = layout.dtype;
  return node;
}

Array Engine::Impl::record_map(const ops::Op& op, const ops::Signature& signature, int result,
                               std::span<const Operand> operands, const View& layout, const Context& context) {
  invariant(operands.size() <= graph::max_inputs, "{}: {} operands", op.name, operands.size());
  Recorder& window = recorder();
  while (window.running) wait_for_runner();
  bool pinned = false;
  Node& node = next_map(window, op, signature, result, layout, context);
  for (size_t k = 0; k < operands.size(); ++k) {
    fill_input(node.inputs[k], operands[k], layout.shape, signature.in[k], pinned);
  }
  node.input_count = static_cast<uint8_t>(operands.size());
  Array out = commit_fresh(window, node, layout);
  after_record(window, pinned);
  return out;
}

Array Engine::record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                            const Scalar& scalar, const Context& context) {
  Recorder& window = impl_->recorder();
  while (window.running) impl_->wait_for_runner();
  bool pinned = false;
  const View& like = (a ? a : b)->view;
  View layout = View::contiguous(like.shape, signature.out[0]);
  if (!engine::has_falling_strides(like)) layout = engine::layout_like(like.shape, signature.out[0], like);
  Node& node = impl_->next_map(window, op, signature, 0, layout, context);
  const Array* operands[] = {a, b};
  for (int k = 0; k < 2; ++k) {
    if (operands[k]) {
      impl_->fill_input(node.inputs[k], *operands[k], layout.shape, pinned);
    } else {
      impl_->fill_input(node.inputs[k], scalar, signature.in[k]);
    }
  }
  node.input_count = 2;
  Array out = impl_->commit_fresh(window, node, layout);
  impl_->after_record(window, pinned);
  return out;
}

void Engine::Impl::record_write(const Array& destination, const Operand& source, const Context& context) {
  Storage& storage = *destination.storage;
  Recorder& window = recorder();
  while (window.running) wait_for_runner();
  bool run_now = storage.pins > 0;
  if (Version* old = storage.current.get()) {
    if (old->window && old->window != &window) settle(*old);
    if (old->readers > 0 && old->reader != &window) settle_readers(*old);
  }
  {
    Node& node = window.next();
    fill_input(node.inputs[0], source, destination.view.shape, source.dtype(), run_now);
    node.kind = NodeKind::write;
    node.input_count = 1;
    node.result = 0;
    node.events = wanted_events(context.errors);
    node.op = CommonOps::get().copy->id;
    node.axes = 0;
    node.pinned = storage.pins > 0;
    node.signature = nullptr;
    node.site = context.site;
    node.shape = destination.view.shape;
    node.offset = destination.view.offset;
    node.strides = destination.view.strides;
    node.dtype = destination.view.dtype;
    node.old = storage.current;
    Version* version = Version::make();
    version->nbytes = storage.current->nbytes;
    node.out = Ref<Version>(version);
    window.commit();
    storage.replace(Ref<Version>(version));
  }
  after_record(window, run_now);
}

void Engine::map(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                 std::span<Array> outputs, const Operand* where, const Context& context) {
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
                        "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}", output.shape(), shape);
  }
  // All results are computed before any is stored: an output may be an operand too.
  std::array<Array, 4> results;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const DType dtype = signature.out[k];
    const bool follows = outputs[k] && covers_whole(outputs[k].view, outputs[k].storage->current->nbytes) &&
                         outputs[k].dtype() == dtype;
    const View layout = follows ? outputs[k].view : result_layout(shape, dtype, operands);
    results[k] = impl_->record_map(op, signature, static_cast<int>(k), operands, layout, context);
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (where) {
      const Array kept = outputs[k] ? outputs[k] : empty(shape, signature.out[k]);
      const ops::Signature& select = CommonOps::get().select_signature(kept.dtype());
      const Operand choices[] = {*where, results[k], kept};
      results[k] = impl_->record_map(*CommonOps::get().select, select, 0, choices,
                                     engine::layout_like(shape, kept.dtype(), kept.view), context);
    }
    if (outputs[k]) {
      assign(outputs[k], results[k], context);
    } else {
      outputs[k] = std::move(results[k]);
    }
  }
}

void Engine::assign(const Array& destination, const Operand& source, const Context& context) {
  const View& target = destination.view;
  if (target.size() == 0) {
    if (!source.is_scalar()) source.array.view.broadcast_to(target.shape);
    return;
  }
  Storage& storage = *destination.storage;
  const int64_t nbytes = storage.current->nbytes;
  if (source.is_scalar()) {
    if (storage.pins == 0 && covers_whole(target, nbytes)) {
      const ops::Signature& fill = CommonOps::get().fill_signature(target.dtype);
      storage.replace(impl_->record_map(*CommonOps::get().fill, fill, 0, std::span(&source, 1), target, context).storage->current);
      return;
    }
    impl_->record_write(destination, source, context);
    return;
  }
  Array from = source.array;
  // Leading axes of one element may be too many on the right-hand side.
  while (from.ndim() > destination.ndim() && from.shape()[0] == 1) from.view = from.view.select(0, 0);
  if (from.shape() != target.shape) from.view = from.view.broadcast_to(target.shape);
  const bool same_version = from.storage->current == storage.current;
  const bool same_type = from.dtype() == target.dtype;
  const Overlap relation = same_version ? overlap(from.view, target) : Overlap::disjoint;
  if (same_version && relation == Overlap::equal && same_type) return;
  if (storage.pins == 0 && covers_whole(target, nbytes)) {
    const bool alias = same_type && from.view.offset == 0 && from.view.strides == target.strides &&
                       from.storage->current->nbytes == nbytes && from.storage->pins == 0;
    if (alias) {
      storage.replace(from.storage->current);
    } else {
      const ops::Signature& copy = CommonOps::get().copy_signature(from.dtype());
      const Operand operand(from);
      storage.replace(impl_->record_map(*CommonOps::get().copy, copy, 0, std::span(&operand, 1), target, context).storage->current);
    }
    return;
  }
  const bool renames = storage.pins == 0 && 2 * target.size() * target.itemsize() >= nbytes;
  if (relation != Overlap::disjoint && relation != Overlap::equal && !renames) from = copy(from, from.dtype(), Order::c);
  impl_->record_write(destination, from, context);
}

Array Engine::copy(const Array& source, DType dtype, Order order) {
  View layout = View::contiguous(source.shape(), dtype, order == Order::f ? Order::f : Order::c);
  if (order == Order::k) layout = engine::layout_like(source.shape(), dtype, source.view);
  if (order == Order::a && source.view.is_f_contiguous()) layout = View::contiguous(source.shape(), dtype, Order::f);
  const Version& version = *source.storage->current;
  const bool alias = dtype == source.dtype() && source.storage->pins == 0 && source.view.offset == 0 &&
                     layout.strides == source.view.strides && version.nbytes == layout.size() * layout.itemsize();
  if (alias) return fresh(layout, source.storage->current.get());
  const Operand operand(source);
  return impl_->record_map(*CommonOps::get().copy, CommonOps::get().copy_signature(source.dtype()), 0,
                           std::span(&operand, 1), layout, Context{});
}

Array Engine::reduce(const ops::Op& op, const Array& source, const ReduceOptions& options, const Context& context) {
  require<NotImplementedError>(op.reduce.has_value(), "{}.reduce has no fold of its own", op.name);
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
    require<ValueError>(neutral || options.initial,
                        "reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'", op.name);
    const Operand instead = neutral ? Operand(*neutral) : *options.initial;
    const Operand choices[] = {*options.where, from, instead};
    const Dims all = options.where->is_scalar() ? shape : broadcast_shapes(op.name, shape, options.where->array.shape());
    from = impl_->record_map(*CommonOps::get().select, CommonOps::get().select_signature(from.dtype()), 0, choices,
                             View::contiguous(all, from.dtype()), context);
  }
  Array result = impl_->record_fold(op, *op.reduce, from, options.axes, signature->out[0], context);
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

Array Engine::Impl::record_fold(const ops::Op& op, ir::ReduceKind kind, const Array& source, std::span<const int> axes,
                                DType dtype, const Context& context) {
  Recorder& window = recorder();
  while (window.running) wait_for_runner();
  uint64_t mask = 0;
  for (int axis : axes) mask |= uint64_t{1} << axis;
  Dims kept;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    if (!(mask >> axis & 1)) kept.push_back(source.shape()[axis]);
  }
  const View result = View::contiguous(kept, dtype);
  Array out;
  bool pinned = false;
  {
    Node& node = window.next();
    fill_input(node.inputs[0], source, source.shape(), pinned);
    node.kind = NodeKind::reduce;
    node.input_count = 1;
    node.result = 0;
    node.events = wanted_events(context.errors);
    node.op = op.id;
    node.axes = mask;
    node.reduce = kind;
    node.pinned = false;
    node.signature = nullptr;
    node.site = context.site;
    node.shape = source.shape();
    node.offset = 0;
    node.strides = Dims(source.shape().size(), 0);
    int position = 0;
    for (int axis = 0; axis < source.ndim(); ++axis) {
      if (!(mask >> axis & 1)) node.strides[axis] = result.strides[position++];
    }
    node.dtype = dtype;
    out = commit_fresh(window, node, result);
  }
  after_record(window, pinned);
  return out;
}

}  // namespace tessera
