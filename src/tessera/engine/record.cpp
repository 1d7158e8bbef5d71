#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/engine/record.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/common_ops.h"
#include "tessera/engine/support/memory.h"

namespace tessera {

using engine::Recorder;
using engine::wanted_events;
using graph::Node;
using graph::NodeKind;
using graph::Storage;
using graph::Version;

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

/// Whether the operand of the form matches the array, whose shape was compared before, or a scalar when `array` is
/// null.
bool fits(const graph::InputForm& form, const Array* array) {
  if (!array) return form.scalar;
  return !form.scalar && form.dtype == array->view.dtype && form.strides == array->view.strides;
}

[[gnu::always_inline]] inline void bind(graph::Input& input, const Array& array) {
  input.version = array.storage->current;
  input.offset = array.view.offset;
}

[[gnu::always_inline]] inline void bind(graph::Input& input, const Scalar& scalar, DType dtype) {
  input.version = nullptr;
  if (scalar.dtype == dtype) [[likely]] {
    std::memcpy(input.scalar, scalar.bytes, sizeof input.scalar);
  } else {
    std::memcpy(input.scalar, scalar.cast_to(dtype).bytes, sizeof input.scalar);
  }
}

void bind(graph::Input& input, const Operand& operand, DType scalar_type) {
  if (operand.is_scalar()) {
    bind(input, operand.scalar, scalar_type);
  } else {
    bind(input, operand.array);
  }
}

/// Key of all that the form of a binary op depends on, except the floating-point events to report.
uint64_t key_of(const ops::Signature& signature, const Array* a, const Array* b) {
  SumHash key;
  key.add(signature.key + (a ? 1 : 0) + (b ? 2 : 0));
  key.add((a ? a : b)->view.shape);
  if (a) key.add(a->view.strides);
  if (b) key.add(b->view.strides);
  return key.value();
}

/// The same for a write, of a scalar when the source is null.
uint64_t key_of(const View& target, const Array* source) {
  SumHash key;
  key.add(static_cast<uint64_t>(target.dtype) | (source ? 256 + 512 * static_cast<uint64_t>(source->dtype()) : 0));
  key.add(target.shape);
  key.add(target.strides);
  if (source) key.add(source->view.strides);
  return key.value();
}

uint8_t events_of(const ops::Op& op, const Context& context) {
  return op.errors == ir::ErrorRule::none ? uint8_t{0} : wanted_events(context.errors);
}

/// Commits the node, creates the version that it makes, and returns a storage that holds it.
[[gnu::always_inline]] inline Ref<Storage> commit_fresh(Recorder& window, Node& node, int64_t offset) {
  Version* version = Version::make();
  version->nbytes = node.form->nbytes;
  node.out = Ref<Version>(version);
  node.offset = offset;
  Ref<Storage> storage(Storage::make());
  storage->current = node.out;
  window.commit(node);
  return storage;
}

void commit_write(Recorder& window, Node& node, const Array& destination, const Array* source, const Scalar& scalar,
                  uint64_t site) {
  Storage& storage = *destination.storage;
  node.site = site;
  source ? bind(node.inputs[0], *source) : bind(node.inputs[0], scalar, scalar.dtype);
  node.offset = destination.view.offset;
  node.old = storage.current;
  node.out = Ref<Version>(Version::make());
  node.out->nbytes = storage.current->nbytes;
  window.commit(node);
  storage.replace(node.out);
}

}  // namespace

namespace {

Recorder& window_for(engine::State& state, const View& result, std::span<const Operand> operands) {
  if (!state.windows.over_ranks()) [[likely]]
    return state.windows.open_own();
  const auto is_cut = [&](const Operand& operand) {
    return !operand.is_scalar() &&
           (state.is_cut_over_ranks(operand.array.view.size()) || state.is_over_ranks(operand.array));
  };
  return state.open_window_of_ranks(state.is_cut_over_ranks(result.size()) || std::ranges::any_of(operands, is_cut));
}

}  // namespace

Array engine::record_map(State& state, const ops::Op& op, const ops::Signature& signature, int result,
                         std::span<const Operand> operands, const View& layout, const Context& context, uint64_t key) {
  invariant(operands.size() <= graph::max_inputs, "{}: {} operands", op.name, operands.size());
  Recorder& window = window_for(state, layout, operands);
  const auto waits = [&](const Operand& operand) {
    return !operand.is_scalar() && state.finish_elsewhere(operand.array, window);
  };
  while (std::any_of(operands.begin(), operands.end(), waits)) {
  }
  bool pinned = false;
  graph::Form& draft = window.draft();
  draft.kind = NodeKind::map;
  draft.input_count = static_cast<uint8_t>(operands.size());
  draft.result = static_cast<uint8_t>(result);
  draft.events = events_of(op, context);
  draft.set_op(op);
  draft.axes = 0;
  draft.call = 0;
  draft.pinned = false;
  draft.reduce = {};
  draft.signature = &signature;
  draft.shape = layout.shape;
  draft.strides = layout.strides;
  draft.dtype = layout.dtype;
  draft.natural = key != 0;
  draft.nbytes = engine::addressable_bytes(layout);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].is_scalar()) pinned |= is_pinned_operand(operands[k].array);
    describe(draft.inputs[k], operands[k], layout.shape, signature.in[k]);
  }
  Node& node = window.next(key ? key : draft.set_hash());
  node.site = state.site_of(context);
  for (size_t k = 0; k < operands.size(); ++k) bind(node.inputs[k], operands[k], signature.in[k]);
  Array out{commit_fresh(window, node, layout.offset), layout};
  state.after_record(window, pinned);
  return out;
}

namespace {

bool follows(const graph::Form* form, const ops::Signature& signature, uint8_t events, const Array* a, const Array* b) {
  return form && form->signature == &signature && form->natural && form->events == events && fits(form->inputs[0], a) &&
         fits(form->inputs[1], b) && form->shape == (a ? a : b)->view.shape;
}

/// Whether the array matches operand `k` of the form and is neither pending in another thread's window nor pinned.
[[gnu::always_inline]] inline bool is_plain_input(const graph::Form& form, int k, const Array* array,
                                                  const Recorder& window) {
  const graph::InputForm& input = form.inputs[k];
  if (!array) return input.scalar;
  const Version& version = *array->storage->current;
  return !input.scalar && input.dtype == array->view.dtype && input.strides == array->view.strides &&
         form.shape == array->view.shape && (version.window == nullptr || version.window == &window) &&
         array->storage->pins == 0;
}

/// Implements Recording::record_binary when no form is cached for it.
Array record_new_binary(engine::State& state, const ops::Op& op, const ops::Signature& signature, const Array* a,
                        const Array* b, const Scalar& scalar, const Context& context, uint64_t key) {
  const View* views[] = {&(a ? a : b)->view, &(b ? b : a)->view};
  const View layout = common_layout(views[0]->shape, signature.out[0], views);
  const Operand operands[] = {a ? Operand(*a) : Operand(scalar), b ? Operand(*b) : Operand(scalar)};
  return engine::record_map(state, op, signature, 0, operands, layout, context, key);
}

}  // namespace

bool Recording::follow_binary(const ops::Op& op, const Array* a, const Array* b, const Scalar& scalar,
                              const Context& context, void* result) {
  Recorder* window = state_->window_to_follow([&] { return (a ? a : b)->view.size(); }, a, b);
  if (!window) [[unlikely]]
    return false;
  const graph::Form* form = window->expected();
  if (!form || form->op != &op || !form->natural || form->events != events_of(op, context)) return false;
  if (!is_plain_input(*form, 0, a, *window) || !is_plain_input(*form, 1, b, *window)) return false;
  Node& node = window->next(*form);
  node.site = context.site;
  a ? bind(node.inputs[0], *a) : bind(node.inputs[0], scalar, form->inputs[0].dtype);
  b ? bind(node.inputs[1], *b) : bind(node.inputs[1], scalar, form->inputs[1].dtype);
  Ref<Storage> storage = commit_fresh(*window, node, 0);
  state_->after_record(*window, false);
  new (result) Array{std::move(storage), View{.shape = form->shape, .strides = form->strides, .dtype = form->dtype}};
  return true;
}

Array Recording::record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                               const Scalar& scalar, const Context& context) {
  Recorder& window = state_->open_window([&] { return (a ? a : b)->view.size(); }, a, b);
  while ((a && state_->finish_elsewhere(*a, window)) || (b && state_->finish_elsewhere(*b, window))) {
  }
  const uint8_t events = events_of(op, context);
  const uint64_t key = key_of(signature, a, b);
  const graph::Form* like = window.seen(key);
  if (!follows(like, signature, events, a, b))
    return record_new_binary(*state_, op, signature, a, b, scalar, context, key);
  bool pinned = false;
  if (a) pinned |= engine::is_pinned_operand(*a);
  if (b) pinned |= engine::is_pinned_operand(*b);
  Node& node = window.next(*like);
  node.site = context.site;
  a ? bind(node.inputs[0], *a) : bind(node.inputs[0], scalar, like->inputs[0].dtype);
  b ? bind(node.inputs[1], *b) : bind(node.inputs[1], scalar, like->inputs[1].dtype);
  Array out{commit_fresh(window, node, 0), View{.shape = like->shape, .strides = like->strides, .dtype = like->dtype}};
  state_->after_record(window, pinned);
  return out;
}

namespace {

/// Of the array that is written, or the view where that has more.
int64_t elements_of(const Storage& storage, const View& target) {
  return std::max(storage.current->nbytes / target.itemsize(), target.size());
}

/// Until neither the operands nor what reads the old contents are pending in other windows.
void finish_uses_elsewhere(engine::State& state, Recorder& window, const Array& destination, const Array* source) {
  const Storage& storage = *destination.storage;
  const auto is_used_elsewhere = [&] {
    const Version& old = *storage.current;
    return old.uses > 0 && old.user != &window && old.uses > state.executor.failed().uses_of(old);
  };
  for (;;) {
    if (state.finish_elsewhere(destination, window) || (source && state.finish_elsewhere(*source, window))) continue;
    if (!is_used_elsewhere()) break;
    state.executor.settle_users(*storage.current);
    state.windows.wait_until_open(window);
  }
}

}  // namespace

void engine::record_write(State& state, const Array& destination, const Array* source, const Scalar& scalar,
                          const Context& context, bool apart) {
  Storage& storage = *destination.storage;
  const auto elements = [&] { return elements_of(storage, destination.view); };
  Recorder& window = state.open_window(elements, &destination, source);
  finish_uses_elsewhere(state, window, destination, source);
  const bool pinned = storage.pins > 0;
  bool run_now = pinned;
  if (source) run_now |= is_pinned_operand(*source);
  const View& target = destination.view;
  const uint8_t events = wanted_events(context.errors);
  const uint64_t key = key_of(target, source);
  const graph::Form* like = window.seen(key);
  const bool follows = like && like->kind == NodeKind::write && like->events == events && like->pinned == pinned &&
                       like->dtype == target.dtype && fits(like->inputs[0], source) &&
                       (source || like->inputs[0].dtype == scalar.dtype) && like->shape == target.shape &&
                       like->strides == target.strides;
  if (!follows && source && !target.is_injective()) return write_in_order(state, destination, *source, context);
  if (!follows) {
    graph::Form& draft = window.draft();
    draft.kind = NodeKind::write;
    draft.input_count = 1;
    draft.result = 0;
    draft.events = events;
    draft.set_op(*CommonOps::get().copy);
    draft.axes = 0;
    draft.call = 0;
    draft.pinned = pinned;
    draft.reduce = {};
    draft.signature = nullptr;
    draft.shape = target.shape;
    draft.strides = target.strides;
    draft.dtype = target.dtype;
    draft.natural = false;
    draft.nbytes = target.size() * target.itemsize();
    draft.apart = 0;
    graph::InputForm& input = draft.inputs[0];
    input.scalar = source == nullptr;
    input.dtype = source ? source->dtype() : scalar.dtype;
    if (source) {
      input.strides = source->view.strides;
    } else {
      input.strides.clear();
    }
  }
  Node& node = follows ? window.next(*like) : window.next(key);
  if (apart && node.form->inputs[0].strides == target.strides)
    node.form->apart = std::abs(target.offset - source->view.offset);
  commit_write(window, node, destination, source, scalar, state.site_of(context));
  try {
    state.after_record(window, run_now);
  } catch (...) {  // what other code sees stays what it was
    if (pinned && state.executor.failed().holds(*storage.current))
      storage.replace(state.executor.failed().contents_before(*storage.current));
    throw;
  }
}

bool Recording::follow_write(const Array& destination, const Array* source, const Scalar& scalar,
                             const Context& context) {
  const View& target = destination.view;
  const Storage& storage = *destination.storage;
  const auto elements = [&] { return elements_of(storage, target); };
  Recorder* window = state_->window_to_follow(elements, &destination, source);
  if (!window) [[unlikely]]
    return false;
  const graph::Form* form = window->expected();
  const Version& old = *storage.current;
  if (!form || form->kind != NodeKind::write || form->pinned || storage.pins > 0 ||
      form->events != wanted_events(context.errors))
    return false;
  if (form->dtype != target.dtype || !(form->strides == target.strides) || !(form->shape == target.shape)) return false;
  // A write of the whole array is handled as a copy or by sharing the source's version.
  if (form->nbytes == old.nbytes || (old.window && old.window != window) || (old.uses > 0 && old.user != window))
    return false;
  if (form->inputs[0].dtype != (source ? source->dtype() : scalar.dtype) || !is_plain_input(*form, 0, source, *window))
    return false;
  const bool within = source && source->storage->current.get() == &old;
  if (within && (form->apart == 0 || form->apart != std::abs(target.offset - source->view.offset))) return false;
  commit_write(*window, window->next(*form), destination, source, scalar, context.site);
  state_->after_record(*window, false);
  return true;
}

Array engine::record_reduction(State& state, const ops::Op& op, ir::ReduceKind kind, const Array& source,
                               std::span<const int> axes, DType dtype, const Context& context) {
  Recorder& window = state.open_window([&] { return source.view.size(); }, &source);
  while (state.finish_elsewhere(source, window)) {
  }
  uint64_t mask = 0;
  for (int axis : axes) mask |= uint64_t{1} << axis;
  const View kept = without_axes(source.view, axes);
  const View* const like[] = {&kept};
  View result = common_layout(kept.shape, dtype, like);
  const bool pinned = is_pinned_operand(source);
  graph::Form& draft = window.draft();
  draft.kind = NodeKind::reduce;
  draft.input_count = 1;
  draft.result = 0;
  draft.events = wanted_events(context.errors);
  draft.set_op(op);
  draft.axes = mask;
  draft.call = 0;
  draft.pinned = false;
  draft.reduce = kind;
  draft.signature = nullptr;
  draft.shape = source.shape();
  draft.strides = Dims(source.shape().size(), 0);
  int position = 0;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    if (!(mask >> axis & 1)) draft.strides[axis] = result.strides[position++];
  }
  draft.dtype = dtype;
  describe(draft.inputs[0], Operand(source), source.shape(), dtype);
  draft.natural = false;
  draft.nbytes = engine::addressable_bytes(result);
  Node& node = window.next(draft.set_hash());
  node.site = state.site_of(context);
  bind(node.inputs[0], source);
  Array out{commit_fresh(window, node, result.offset), std::move(result)};
  state.after_record(window, pinned);
  return out;
}

}  // namespace tessera
