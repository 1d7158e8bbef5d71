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

Array share(const View& view, const Ref<Version>& version) {
  Array array{Ref<Storage>(Storage::make()), view};
  array.storage->current = version;
  return array;
}

}  // namespace

/// The thread's window, once nobody runs it.
Recorder& Engine::Impl::open_recorder() {
  Recorder& window = recorder();
  while (window.running) [[unlikely]] wait_for_runner();
  return window;
}

/// Before a node names the array: runs other threads' nodes that make it. True when others see its memory.
bool Engine::Impl::prepare(const Array& array, Recorder& window) {
  Version* version = array.storage->current.get();
  if (version->window && version->window != &window) [[unlikely]] finish(*version);
  if (array.storage->pins == 0) return false;
  version->foreign = true;
  return true;
}

namespace {

void describe(graph::InputForm& form, const Operand& operand, const Dims& shape, DType scalar_type) {
  form.scalar = operand.is_scalar();
  if (form.scalar) {
    form.dtype = scalar_type;
    form.strides.clear();
  } else {
    const View& view = operand.array.view;
    form.dtype = view.dtype;
    form.strides = view.shape == shape ? view.strides : view.broadcast_to(shape).strides;
  }
}

bool fits(const graph::InputForm& form, const Dims& shape, const Array& array) {
  return !form.scalar && form.dtype == array.view.dtype && form.strides == array.view.strides && shape == array.view.shape;
}

void bind(graph::Input& input, const Array& array) {
  input.version = array.storage->current;
  input.offset = array.view.offset;
}

void bind(graph::Input& input, const Scalar& scalar, DType dtype) {
  input.version = nullptr;
  input.offset = 0;
  input.scalar = scalar.dtype == dtype ? scalar : scalar.cast_to(dtype);
}

void bind(graph::Input& input, const Operand& operand, DType scalar_type) {
  if (operand.is_scalar()) {
    bind(input, operand.scalar, scalar_type);
  } else {
    bind(input, operand.array);
  }
}

uint8_t events_of(const ops::Op& op, const Context& context) {
  return op.errors == ir::ErrorRule::none ? uint8_t{0} : wanted_events(context.errors);
}

}  // namespace

void Engine::Impl::after_record(Recorder& window, bool run_now) {
  if (run_now || !options.lazy) return run_until(window, window.end());
  const int64_t due = window.due(options.window_limit);
  if (due > window.begin()) start_until(window, due);
}

/// The version that node will make, and a storage that holds it. What no machine can address is refused at the call; less
/// may turn out to be a temporary that is never stored.
Array Engine::Impl::commit_fresh(Recorder& window, Node& node, View layout) {
  constexpr int64_t address_space = int64_t{1} << 47;
  const int64_t nbytes = layout.size() * layout.itemsize();
  if (nbytes > address_space) throw ArrayMemoryError(layout.shape, layout.dtype);
  Version* version = Version::make();
  version->nbytes = nbytes;
  node.out = Ref<Version>(version);
  node.offset = layout.offset;
  Array out{Ref<Storage>(Storage::make()), std::move(layout)};
  out.storage->current = node.out;
  window.commit();
  return out;
}

Array Engine::Impl::record_map(const ops::Op& op, const ops::Signature& signature, int result,
                               std::span<const Operand> operands, const View& layout, const Context& context) {
  invariant(operands.size() <= graph::max_inputs, "{}: {} operands", op.name, operands.size());
  Recorder& window = open_recorder();
  bool pinned = false;
  graph::Form& draft = window.draft();
  draft.kind = NodeKind::map;
  draft.input_count = static_cast<uint8_t>(operands.size());
  draft.result = static_cast<uint8_t>(result);
  draft.events = events_of(op, context);
  draft.op = op.id;
  draft.axes = 0;
  draft.pinned = false;
  draft.reduce = {};
  draft.signature = &signature;
  draft.site = context.site;
  draft.shape = layout.shape;
  draft.strides = layout.strides;
  draft.dtype = layout.dtype;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].is_scalar()) pinned |= prepare(operands[k].array, window);
    describe(draft.inputs[k], operands[k], layout.shape, signature.in[k]);
  }
  Node& node = window.next();
  for (size_t k = 0; k < operands.size(); ++k) bind(node.inputs[k], operands[k], signature.in[k]);
  Array out = commit_fresh(window, node, layout);
  after_record(window, pinned);
  return out;
}

Array Engine::record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                            const Scalar& scalar, const Context& context) {
  Recorder& window = impl_->open_recorder();
  const graph::Form* like = window.expected(context.site);
  const Array* operands[] = {a, b};
  bool follows = like && like->signature == &signature && like->op == op.id && like->kind == NodeKind::map &&
                 like->events == events_of(op, context) && like->result == 0;
  for (int k = 0; k < 2 && follows; ++k) {
    follows = operands[k] ? fits(like->inputs[k], like->shape, *operands[k]) : like->inputs[k].scalar;
  }
  if (!follows) {
    const View* views[] = {&(a ? a : b)->view, &(b ? b : a)->view};
    const View layout = common_layout(views[0]->shape, signature.out[0], views);
    const Operand both[] = {a ? Operand(*a) : Operand(scalar), b ? Operand(*b) : Operand(scalar)};
    return impl_->record_map(op, signature, 0, both, layout, context);
  }
  bool pinned = false;
  for (const Array* operand : operands) pinned |= operand && impl_->prepare(*operand, window);
  Node& node = window.next(*like);
  for (int k = 0; k < 2; ++k) {
    if (operands[k]) {
      bind(node.inputs[k], *operands[k]);
    } else {
      bind(node.inputs[k], scalar, signature.in[k]);
    }
  }
  const graph::Form& form = *node.form;
  Array out = impl_->commit_fresh(window, node, View{.shape = form.shape, .strides = form.strides, .dtype = form.dtype});
  impl_->after_record(window, pinned);
  return out;
}

void Engine::Impl::record_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context) {
  Storage& storage = *destination.storage;
  Recorder& window = open_recorder();
  const bool pinned = storage.pins > 0;
  bool run_now = pinned;
  if (Version* old = storage.current.get()) {
    if (old->window && old->window != &window) finish(*old);
    if (old->uses > 0 && old->user != &window) settle_users(*old);
  }
  if (source) run_now |= prepare(*source, window);
  const View& target = destination.view;
  const uint8_t events = wanted_events(context.errors);
  const graph::Form* like = window.expected(context.site);
  const bool follows = like && like->kind == NodeKind::write && like->events == events &&
                       like->pinned == pinned && like->dtype == target.dtype && like->shape == target.shape &&
                       like->strides == target.strides &&
                       (source ? fits(like->inputs[0], like->shape, *source)
                               : like->inputs[0].scalar && like->inputs[0].dtype == scalar.dtype);
  if (!follows) {
    graph::Form& draft = window.draft();
    draft.kind = NodeKind::write;
    draft.input_count = 1;
    draft.result = 0;
    draft.events = events;
    draft.op = CommonOps::get().copy->id;
    draft.axes = 0;
    draft.pinned = pinned;
    draft.reduce = {};
    draft.signature = nullptr;
    draft.site = context.site;
    draft.shape = target.shape;
    draft.strides = target.strides;
    draft.dtype = target.dtype;
    graph::InputForm& input = draft.inputs[0];
    input.scalar = source == nullptr;
    input.dtype = source ? source->dtype() : scalar.dtype;
    if (source) {
      input.strides = source->view.strides;
    } else {
      input.strides.clear();
    }
  }
  Node& node = follows ? window.next(*like) : window.next();
  if (source) {
    bind(node.inputs[0], *source);
  } else {
    bind(node.inputs[0], scalar, scalar.dtype);
  }
  node.offset = target.offset;
  node.old = storage.current;
  node.out = Ref<Version>(Version::make());
  node.out->nbytes = storage.current->nbytes;
  window.commit();
  storage.replace(node.out);
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
    impl_->record_write(destination, nullptr, source.scalar, context);
    return;
  }
  assign(destination, source.array, context);
}

void Engine::assign(const Array& destination, const Array& source, const Context& context) {
  const View& target = destination.view;
  if (source.shape() == target.shape) return impl_->assign_array(destination, source, context);
  Array from = source;
  // Leading axes of one element may be too many on the right-hand side.
  while (from.ndim() > destination.ndim() && from.shape()[0] == 1) from.view = from.view.select(0, 0);
  if (from.shape() != target.shape) from.view = from.view.broadcast_to(target.shape);
  impl_->assign_array(destination, from, context);
}

void Engine::Impl::assign_array(const Array& destination, const Array& source, const Context& context) {
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
      storage.replace(record_map(*CommonOps::get().copy, copy, 0, std::span(&operand, 1), target, context).storage->current);
    }
    return;
  }
  const bool renames = storage.pins == 0 && 2 * target.size() * target.itemsize() >= old.nbytes;
  if (relation != Overlap::disjoint && relation != Overlap::equal && !renames) {
    const Operand operand(source);
    const Array kept = record_map(*CommonOps::get().copy, CommonOps::get().copy_signature(from.dtype), 0,
                                  std::span(&operand, 1), View::contiguous(from.shape, from.dtype), context);
    return record_write(destination, &kept, Scalar{}, context);
  }
  record_write(destination, &source, Scalar{}, context);
}

Array Engine::copy(const Array& source, DType dtype, Order order) {
  View layout = View::contiguous(source.shape(), dtype, order == Order::f ? Order::f : Order::c);
  if (order == Order::k) layout = engine::layout_like(source.shape(), dtype, source.view);
  if (order == Order::a && source.view.is_f_contiguous()) layout = View::contiguous(source.shape(), dtype, Order::f);
  const Version& version = *source.storage->current;
  const bool alias = dtype == source.dtype() && source.storage->pins == 0 && source.view.offset == 0 &&
                     layout.strides == source.view.strides && version.nbytes == layout.size() * layout.itemsize();
  if (alias) return share(layout, source.storage->current);
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
  Recorder& window = open_recorder();
  uint64_t mask = 0;
  for (int axis : axes) mask |= uint64_t{1} << axis;
  const View kept = without_axes(source.view, axes);
  const View* const like[] = {&kept};
  View result = common_layout(kept.shape, dtype, like);
  const bool pinned = prepare(source, window);
  graph::Form& draft = window.draft();
  draft.kind = NodeKind::reduce;
  draft.input_count = 1;
  draft.result = 0;
  draft.events = wanted_events(context.errors);
  draft.op = op.id;
  draft.axes = mask;
  draft.pinned = false;
  draft.reduce = kind;
  draft.signature = nullptr;
  draft.site = context.site;
  draft.shape = source.shape();
  draft.strides = Dims(source.shape().size(), 0);
  int position = 0;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    if (!(mask >> axis & 1)) draft.strides[axis] = result.strides[position++];
  }
  draft.dtype = dtype;
  describe(draft.inputs[0], Operand(source), source.shape(), dtype);
  Node& node = window.next();
  bind(node.inputs[0], source);
  Array out = commit_fresh(window, node, std::move(result));
  after_record(window, pinned);
  return out;
}

}  // namespace tessera
