#include "tessera/plan/kernel_draft.h"

#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/plan/limits.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;
using ir::Value;

namespace {

ir::InnerStride classify(const View& view) {
  const int64_t stride = view.strides.back();
  if (stride == itemsize(view.dtype)) return ir::InnerStride::contiguous;
  return stride == 0 ? ir::InnerStride::broadcast : ir::InnerStride::strided;
}

DType float_of(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype; }

}  // namespace

KernelDraft::KernelDraft(Draft& draft, const Group& group) : draft_(draft), group_(group) {
  collect();
  merge_axes();
}

int KernelDraft::find_or_add(int slot, NodeRef at, const View& view, bool load, bool store) {
  for (size_t k = 0; k < operands_.size() && load; ++k) {
    const Operand& other = operands_[k];
    if (other.load && !other.store && other.slot == slot && other.offset == view.offset &&
        other.view.strides == view.strides && other.view.dtype == view.dtype) {
      return static_cast<int>(k);
    }
  }
  View plain = view;
  plain.offset = 0;
  operands_.push_back({slot, at, view.offset, plain, load, store});
  return static_cast<int>(operands_.size()) - 1;
}

void KernelDraft::collect() {
  position_.assign(draft_.request.size(), -1);
  for (size_t p = 0; p < group_.nodes.size(); ++p) position_[group_.nodes[p]] = static_cast<int>(p);
  load_of_.resize(group_.nodes.size());
  store_of_.assign(group_.nodes.size(), -1);
  // Stores first: the order of their axes determines the loop nest.
  for (size_t p = 0; p < group_.nodes.size(); ++p) {
    const int i = group_.nodes[p];
    const Node& node = draft_.node(i);
    if (i == group_.reduction || !draft_.stored[i]) continue;
    store_of_[p] = find_or_add(draft_.use(node.out.get()).slot, {i, -1}, output_view(node), false, true);
  }
  for (size_t p = 0; p < group_.nodes.size(); ++p) {
    const int i = group_.nodes[p];
    const Node& node = draft_.node(i);
    load_of_[p].assign(node.form->input_count, -1);
    for (int k = 0; k < node.form->input_count; ++k) {
      if (!node.inputs[k].version) continue;
      const int producer = aligned_producer(draft_, node, k);
      if (producer >= 0 && position_[producer] >= 0) continue;
      const int slot = draft_.use(node.inputs[k].version.get()).slot;
      load_of_[p][k] = find_or_add(slot, {i, k}, operand_view(node, k), true, false);
    }
  }
  values_.assign(group_.nodes.size(), ir::no_value);
}

void KernelDraft::merge_axes() {
  std::vector<View> views;
  for (const Operand& operand : operands_) views.push_back(operand.view);
  const int reduction_view = static_cast<int>(views.size());
  if (group_.reduction >= 0) {
    const Node& reduction = draft_.node(group_.reduction);
    View result = output_view(reduction);
    result.offset = 0;
    views.push_back(result);
    // A view with nonzero strides along the reduced axes only: these are then merged only with each other and can be
    // identified afterwards.
    View marker{.shape = group_.shape, .strides = Dims(group_.shape.size(), 0), .dtype = DType::int8};
    int64_t stride = 1;
    for (size_t axis = group_.shape.size(); axis-- > 0;) {
      if (!(reduction.form->axes >> axis & 1)) continue;
      marker.strides[axis] = stride;
      stride *= std::max<int64_t>(1, group_.shape[axis]);
    }
    views.push_back(marker);
  }
  if (views.empty() || group_.shape.empty()) {
    // A single element: one axis of one lane.
    extents_ = Dims{1};
    for (Operand& operand : operands_) operand.view.shape = extents_, operand.view.strides = Dims{0};
    if (group_.reduction >= 0) reduction_strides_ = Dims{0};
    return;
  }
  sort_axes(views);
  collapse_axes(views);
  extents_ = views[0].shape;
  if (extents_.empty()) {
    extents_ = Dims{1};
    for (View& view : views) view.shape = extents_, view.strides = Dims{0};
  }
  for (size_t k = 0; k < operands_.size(); ++k) operands_[k].view = views[k];
  if (group_.reduction >= 0) {
    reduction_strides_ = views[reduction_view].strides;
    for (size_t axis = 0; axis < extents_.size(); ++axis) {
      const int64_t place = views.back().strides[axis];
      if (place != 0) reduced_.push_back(static_cast<int>(axis));
      const std::pair step(place != 0 ? extents_[axis] : 0, place);
      if (place != 0 || reduction_order_.empty() || reduction_order_.back() != step) reduction_order_.push_back(step);
    }
  }
}

bool KernelDraft::reads_rows_of(int axis) const {
  const auto counts = [&](int node) {
    const graph::Form& form = *draft_.node(node).form;
    return form.op && form.op->counts;
  };
  if (std::ranges::any_of(group_.nodes, counts)) return false;
  bool advances = false;
  for (const Operand& operand : operands_) {
    const Dims& strides = operand.view.strides;
    if (operand.store) return false;
    const int64_t along = std::abs(strides[axis]);
    advances = advances || along > 0;
    for (size_t other = 0; along > 0 && other < strides.size(); ++other)
      if (std::abs(strides[other]) > along) return false;
  }
  return advances;
}

void KernelDraft::declare(ir::Builder& builder) {
  for (size_t k = 0; k < operands_.size(); ++k) {
    Operand& operand = operands_[k];
    ir::BufferParam param{.dtype = operand.view.dtype, .ndim = static_cast<uint8_t>(extents_.size())};
    param.readable = operand.load;
    param.writable = operand.store;
    param.inner = classify(operand.view);
    if (operand.store) {
      int64_t bytes = itemsize(operand.view.dtype);
      for (int64_t extent : extents_) bytes *= extent;
      param.streaming = bytes >= MemoryLimits::streaming_bytes && param.inner == ir::InnerStride::contiguous;
    }
    for (size_t j = 0; j < k; ++j) {
      if (operands_[j].view.strides == operand.view.strides) {
        param.strides_like = static_cast<int16_t>(j);
        break;
      }
    }
    operand.buffer = builder.add_buffer(param);
  }
}

ir::Value KernelDraft::operand_value(ir::Builder& builder, int node, int input, std::span<const Value> indices) {
  const Node& n = draft_.node(node);
  const graph::Input& operand = n.inputs[input];
  if (!operand.version) {
    scalars_.push_back({node, input});
    return builder.scalar(builder.add_scalar(n.form->inputs[input].dtype));
  }
  const int load = load_of_[position_[node]][input];
  if (load < 0) return values_[position_[aligned_producer(draft_, n, input)]];
  if (loaded_[load] == ir::no_value) loaded_[load] = builder.load(operands_[load].buffer, indices);
  return loaded_[load];
}

void KernelDraft::emit_check(ir::Builder& builder, int node, ir::ErrorRule rule, Value result,
                             std::span<const Value> operands) {
  const DType type = builder.type(result);
  if (rule == ir::ErrorRule::none || is_boolean(type)) return;
  const uint32_t slot = builder.add_flag_slot();
  flag_nodes_.push_back(node);
  auto check_part = [&](auto part) {
    std::vector<Value> parts;
    for (Value operand : operands) parts.push_back(part(operand));
    builder.check(rule, slot, part(result), parts);
  };
  if (is_complex(type)) {
    rule = ir::ErrorRule::arithmetic;
    check_part([&](Value v) { return builder.real(v); });
    check_part([&](Value v) { return builder.imag(v); });
  } else {
    check_part([&](Value v) { return builder.cast(v, float_of(builder.type(v))); });
  }
}

ir::Value KernelDraft::emit_map(ir::Builder& builder, int i, std::span<const Value> indices) {
  const Node& node = draft_.node(i);
  const ops::Op& op = *node.form->op;
  std::vector<Value> in;
  for (int k = 0; k < node.form->input_count; ++k) {
    in.push_back(builder.cast(operand_value(builder, i, k, indices), node.form->signature->in[k]));
  }
  if (op.counts) {
    invariant(node.form->shape.size() == 1, "{}: recorded over {} axes", op.name, node.form->shape.size());
    in.push_back(indices[0]);
  }
  std::vector<Value> out(op.nout);
  const bool finds_inside = op.errors == ir::ErrorRule::inside && node.form->events;
  if (finds_inside) {
    ops::emit_watched_body(op, *node.form->signature, builder, builder.add_flag_slot(), in, out);
    flag_nodes_.push_back(i);
  } else {
    ops::emit_body(op, *node.form->signature, builder, in, out);
  }
  const Value result = out[node.form->result];
  if (op.errors == ir::ErrorRule::cast) return emit_cast(builder, i, result);
  if (node.form->events && !finds_inside) {
    const ir::ErrorRule rule = ops::errors_of(op, builder.type(in[0]));
    emit_check(builder, i, rule, result, std::span(in).first(std::min<size_t>(in.size(), 2)));
  }
  return builder.cast(result, node.form->dtype);
}

ir::Value KernelDraft::emit_cast(ir::Builder& builder, int node, Value source) {
  const graph::Form& form = *draft_.node(node).form;
  const Value result = builder.cast(source, form.dtype);
  const DType from = builder.type(source);
  if (!form.events || can_cast(from, form.dtype, Casting::safe)) return result;
  // Checks compare in single or double precision: other types convert exactly, or are large enough to be detected.
  const auto checked = [&](Value to, Value part) {
    const DType wide = is_integer(builder.type(part)) ? DType::float64 : float_of(builder.type(part));
    builder.check(ir::ErrorRule::cast, builder.add_flag_slot(), to, std::array{builder.cast(part, wide)});
    flag_nodes_.push_back(node);
  };
  const bool to_integer = is_integer(form.dtype);
  const bool to_float = is_floating(form.dtype) || is_complex(form.dtype);
  if (is_complex(from)) {
    if (is_complex(form.dtype)) checked(builder.imag(result), builder.imag(source));
    if (to_integer || to_float) checked(is_complex(form.dtype) ? builder.real(result) : result, builder.real(source));
  } else if (is_floating(from) ? to_integer || to_float : form.dtype == DType::float16) {
    checked(is_complex(form.dtype) ? builder.real(result) : result, source);
  }
  return result;
}

ir::Value KernelDraft::emit(ir::Builder& builder, std::span<const Value> indices) {
  loaded_.assign(operands_.size(), ir::no_value);
  for (size_t p = 0; p < group_.nodes.size(); ++p) {
    const int i = group_.nodes[p];
    const Node& node = draft_.node(i);
    if (node.form->kind == NodeKind::map) {
      values_[p] = emit_map(builder, i, indices);
    } else {
      values_[p] = emit_cast(builder, i, operand_value(builder, i, 0, indices));
    }
    if (store_of_[p] >= 0) builder.store(operands_[store_of_[p]].buffer, values_[p], indices);
  }
  return group_.reduction >= 0 ? values_.back() : ir::no_value;
}

std::vector<Binding> KernelDraft::bindings() const {
  std::vector<Binding> result;
  for (const Operand& operand : operands_) {
    result.push_back({.slot = operand.slot,
                      .offset_of = operand.at,
                      .offset = operand.offset,
                      .strides = operand.view.strides,
                      .dimensions = extents_});
  }
  return result;
}

}  // namespace tessera::plan
