#include <algorithm>

#include "tessera/layout/cut_rows.h"
#include "tessera/plan/kernel_draft.h"
#include "tessera/plan/limits.h"

namespace tessera::plan {

using ir::ReduceKind;
using ir::ReduceOrder;
using ir::Value;

namespace {

constexpr int64_t chunk = ReductionCut::chunk;
/// Of a reduction that several places do one after the other: a place begins with the next block of lanes when the
/// place before it has done that. Not measured one by one.
constexpr int64_t most_blocks = 8, least_bytes_of_block = 1 << 20;

class ReductionLowering {
 public:
  ReductionLowering(Draft& draft, int group)
      : draft_(draft),
        group_(draft.groups[group]),
        index_(group_.reduction),
        node_(draft.node(index_)),
        kernel_(draft, group_) {}

  /// The innermost reduced axis goes first, together with the elementwise part; further kernels reduce the other axes.
  void run() {
    const Dims& extents = kernel_.extents();
    std::vector<int> reduced = kernel_.reduced();
    axis_ = reduced.empty() ? -1 : reduced.back();
    length_ = axis_ >= 0 ? extents[axis_] : empty_reduction() ? 0 : 1;
    innermost_ = axis_ < 0 || axis_ == static_cast<int>(extents.size()) - 1;
    if (!reduced.empty()) reduced.pop_back();
    int64_t results = 1;
    for (int k = 0; k < static_cast<int>(extents.size()); ++k) {
      if (k == axis_) continue;
      results *= extents[k];
      const bool more = std::find(reduced.begin(), reduced.end(), k) != reduced.end();
      lanes_.push_back(
          {.extent = extents[k], .source = k, .result_stride = kernel_.reduction_strides()[k], .reduction = more});
    }
    const int64_t longest = innermost_ ? ReductionCut::longest_pairwise : ReductionCut::longest_sequential;
    bool chunked = length_ > longest && results < ReductionCut::few_results;
    if (!chunked && reduced.empty() && is_over_cut()) {
      if (order_matters()) return reduce_strips(results);
      const int64_t rows = (length_ + draft_.options.places - 1) / draft_.options.places,
                    together = rows_together(rows);
      chunked = true, chunk_ = (rows + together - 1) / together * together;
    }
    Partial partial = first_reduction(chunked, results);
    while (partial.slot >= 0) partial = next_reduction(partial);
  }

 private:
  /// One axis of a kernel's lanes: an axis of the loop nest (source >= 0) or the chunks of the first reduction.
  struct Lane {
    int64_t extent;
    int source;
    int64_t result_stride;
    bool reduction;  // still to be reduced
  };
  /// Partial results for the next reduction, C-contiguous over its lanes; slot -1: none, the final result is stored.
  struct Partial {
    int slot = -1;
    std::vector<Lane> lanes;
  };

  /// Whether places each have rows of what is reduced.
  bool is_over_cut() const {
    return draft_.options.places > 1 && !innermost_ && !lanes_.empty() && length_ >= draft_.options.places &&
           kernel_.reads_rows_of(axis_);
  }
  bool order_matters() const {
    const ReduceKind kind = node_.form->reduce;
    return !is_integer(node_.form->dtype) && !is_boolean(node_.form->dtype) &&
           (kind == ReduceKind::add || kind == ReduceKind::mul || is_complex(node_.form->dtype));
  }
  bool empty_reduction() const {
    for (int axis = 0; axis < static_cast<int>(node_.form->shape.size()); ++axis) {
      if ((node_.form->axes >> axis & 1) && node_.form->shape[axis] == 0) return true;
    }
    return false;
  }
  /// NumPy multiplies sequentially, which takes the latency of every step: longer products use the order of sums.
  /// Reductions that do not round may use any order.
  ReduceOrder order(bool innermost) const {
    const bool one_by_one = node_.form->reduce == ReduceKind::mul && !is_integer(node_.form->dtype) && length_ <= chunk;
    return innermost && !one_by_one ? ReduceOrder::pairwise : ReduceOrder::sequential;
  }
  DType accumulator() const {
    return node_.form->dtype == DType::float16 || node_.form->dtype == DType::bfloat16 ? DType::float32
                                                                                       : node_.form->dtype;
  }

  static ir::InnerStride classify(const Dims& strides, DType dtype) {
    if (strides.back() == itemsize(dtype)) return ir::InnerStride::contiguous;
    return strides.back() == 0 ? ir::InnerStride::broadcast : ir::InnerStride::strided;
  }

  static uint32_t add_result(ir::Builder& builder, const Dims& strides, DType dtype) {
    return builder.add_buffer({.dtype = dtype,
                               .ndim = static_cast<uint8_t>(strides.size()),
                               .readable = false,
                               .writable = true,
                               .inner = classify(strides, dtype)});
  }

  static std::vector<Value> all_indices(ir::Builder& builder, size_t count) {
    std::vector<Value> indices;
    for (size_t axis = 0; axis < count; ++axis) indices.push_back(builder.index(static_cast<int>(axis)));
    return indices;
  }

  /// Kernels serve every extent, so the length is read from the first operand where there is one.
  Value length(ir::Builder& builder) const {
    if (axis_ < 0 || builder.kernel().buffers.empty())
      return builder.constant(DType::int64, static_cast<double>(length_));
    return builder.dimension(0, axis_);
  }

  void push(ir::Builder& builder, const Dims& extents, std::vector<Binding> buffers, int64_t work, bool own) {
    KernelStep step;
    step.kernel = std::make_shared<ir::Kernel>(builder.take());
    step.kernel_hash = ir::structural_hash(*step.kernel);
    step.extents = extents;
    step.buffers = std::move(buffers);
    step.work = work;
    if (own) {
      step.scalars = kernel_.scalars();
      step.flag_nodes = kernel_.flag_nodes();
    }
    draft_.plan.steps.push_back({.kernel = std::move(step)});
  }

  /// Where a reduction with these lanes stores: the node's result, or new memory when more reductions follow.
  struct Target {
    Dims extents;
    Dims strides;
    DType dtype;
    Binding binding;
    Partial partial;
  };
  Target make_target(const std::vector<Lane>& lanes) {
    Target target;
    bool more = false;
    for (const Lane& lane : lanes) {
      target.extents.push_back(lane.extent);
      target.strides.push_back(lane.result_stride);
      more |= lane.reduction;
    }
    if (target.extents.empty()) target.extents = Dims{1}, target.strides = Dims{0};
    target.dtype = more ? accumulator() : node_.form->dtype;
    if (more) {
      const View partial = View::contiguous(target.extents, target.dtype);
      target.strides = partial.strides;
      target.partial = {.slot = static_cast<int>(draft_.plan.slots.size()), .lanes = lanes};
      draft_.plan.slots.push_back({.nbytes = partial.size() * partial.itemsize()});
    }
    target.binding = {.slot = more ? target.partial.slot : draft_.use(node_.out.get()).slot,
                      .offset_of = more ? NodeRef{} : NodeRef{index_, -1},
                      .strides = target.strides,
                      .dimensions = target.extents};
    return target;
  }

  /// The element of the lane at `at` whose index along the reduced axis is `k`.
  Value emit_element(ir::Builder& builder, KernelDraft& kernel, const std::vector<Lane>& lanes,
                     const std::vector<Value>& at, Value k) const {
    std::vector<Value> indices(kernel.extents().size(), at[0]);
    if (axis_ >= 0) indices[static_cast<size_t>(axis_)] = k;
    for (size_t j = 0; j < lanes.size(); ++j)
      if (lanes[j].source >= 0) indices[static_cast<size_t>(lanes[j].source)] = at[j];
    return builder.cast(kernel.emit(builder, indices), accumulator());
  }

  /// The kernel of a strip: of the first one, of the last one, or of one between them.
  KernelStep strip_step(const Target& target, bool is_first, bool is_last) const {
    KernelDraft kernel(draft_, group_);
    ir::Builder builder(static_cast<int>(target.extents.size()), is_first ? "reduction" : "reduction_onward");
    kernel.declare(builder);
    const std::vector<Value> at = all_indices(builder, target.extents.size());
    Value before = ir::no_value;
    const View between = View::contiguous(target.extents, accumulator());
    if (!is_first)
      before = builder.load(builder.add_buffer({.dtype = between.dtype,
                                                .ndim = static_cast<uint8_t>(between.ndim()),
                                                .inner = ir::InnerStride::contiguous}),
                            at);
    const uint32_t out = is_last ? add_result(builder, target.strides, target.dtype)
                                 : add_result(builder, between.strides, between.dtype);
    const auto element = [&](Value k) { return emit_element(builder, kernel, lanes_, at, k); };
    const Value total = builder.reduce(node_.form->reduce, ReduceOrder::sequential, builder.constant(DType::int64, 0),
                                       builder.dimension(0, axis_), element, before);
    builder.store(out, is_last ? builder.cast(total, target.dtype) : total, at);
    KernelStep step{.scalars = kernel.scalars(), .flag_nodes = kernel.flag_nodes(), .is_strip = true};
    step.kernel = std::make_shared<ir::Kernel>(builder.take());
    step.kernel_hash = ir::structural_hash(*step.kernel);
    return step;
  }

  /// Where the operands are cut along the reduced axis, each place reduces its rows, on from what the place before made
  /// of its own, so that the order is that of one place. With `in_blocks` by blocks of lanes, of which different places
  /// have different ones at a time.
  void reduce_strips(int64_t results) {
    const Target target = make_target(lanes_);
    const int64_t strips = draft_.options.places, lanes = lanes_[0].extent;
    const int64_t bytes = results * length_ * itemsize(accumulator());
    const int64_t blocks = draft_.options.in_blocks
                               ? std::min(std::clamp<int64_t>(bytes / least_bytes_of_block, 1, most_blocks), lanes)
                               : 1;
    std::vector<KernelStep> kinds;  // first, between, last
    for (const auto& [is_first, is_last] : {std::pair(true, false), {false, false}, {false, true}})
      kinds.push_back(strip_step(target, is_first, is_last));
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t lane = lanes * block / blocks, end = lanes * (block + 1) / blocks;
      Dims extents = target.extents;
      extents[0] = end - lane;
      const View between = View::contiguous(extents, accumulator());
      Binding before;
      for (int64_t strip = 0; strip < strips; ++strip) {
        KernelStep step = kinds[strip == 0 ? 0 : strip + 1 == strips ? 2 : 1];
        const int64_t row = first_row(length_, strip, strips), rows = first_row(length_, strip + 1, strips) - row;
        for (Binding binding : kernel_.bindings()) {
          shift(binding, axis_, row, rows);
          shift(binding, lanes_[0].source, lane, extents[0]);
          step.buffers.push_back(binding);
        }
        if (strip > 0) step.buffers.push_back(before);
        Binding out = target.binding;
        if (strip + 1 < strips) {
          before = {.slot = static_cast<int>(draft_.plan.slots.size()),
                    .strides = between.strides,
                    .dimensions = between.shape};
          draft_.plan.slots.push_back({.nbytes = between.size() * between.itemsize()});
          out = before;
        } else {
          shift(out, 0, lane, extents[0]);
        }
        step.buffers.push_back(out);
        step.extents = extents;
        step.work = results / std::max<int64_t>(lanes, 1) * extents[0] * rows;
        draft_.plan.steps.push_back({.kernel = std::move(step)});
      }
    }
  }
  /// `count` indices along the axis, from `begin` on.
  static void shift(Binding& binding, int axis, int64_t begin, int64_t count) {
    const int64_t bytes = begin * binding.strides[static_cast<size_t>(axis)];
    binding.offset += bytes, binding.shift += bytes;
    binding.dimensions[static_cast<size_t>(axis)] = count;
  }

  Partial first_reduction(bool chunked, int64_t results) {
    std::vector<Lane> lanes = lanes_;
    // The chunk axis replaces the reduced axis: last for contiguous reductions, first for reductions over rows.
    const size_t where = innermost_ ? lanes.size() : 0;
    if (chunked) {
      lanes.insert(
          lanes.begin() + static_cast<long>(where),
          Lane{.extent = (length_ + chunk_ - 1) / chunk_, .source = -1, .result_stride = 0, .reduction = true});
    }
    const Target target = make_target(lanes);
    ir::Builder builder(static_cast<int>(target.extents.size()), chunked ? "reduction_chunks" : "reduction");
    kernel_.declare(builder);
    Value lower = builder.constant(DType::int64, 0);
    Value upper = length(builder);
    const uint32_t out = add_result(builder, target.strides, target.dtype);
    const std::vector<Value> at = all_indices(builder, target.extents.size());
    if (chunked) {
      const Value size = builder.constant(DType::int64, static_cast<double>(chunk_));
      lower = builder.mul(at[where], size);
      upper = builder.min(builder.add(lower, size), upper);
    }
    const auto element = [&](Value k) { return emit_element(builder, kernel_, lanes, at, k); };
    const Value total = builder.reduce(node_.form->reduce, order(innermost_), lower, upper, element);
    builder.store(out, builder.cast(total, target.dtype), at);
    std::vector<Binding> buffers = kernel_.bindings();
    buffers.push_back(target.binding);
    push(builder, target.extents, std::move(buffers), results * length_, true);
    return target.partial;
  }

  Partial next_reduction(const Partial& partial) {
    size_t axis = partial.lanes.size();
    while (!partial.lanes[--axis].reduction) {
    }
    std::vector<Lane> lanes = partial.lanes;
    lanes.erase(lanes.begin() + static_cast<long>(axis));
    const Target target = make_target(lanes);
    Dims source_extents;
    for (const Lane& lane : partial.lanes) source_extents.push_back(lane.extent);
    const View source = View::contiguous(source_extents, accumulator());
    ir::Builder builder(static_cast<int>(target.extents.size()), "reduction_join");
    const uint32_t in = builder.add_buffer(
        {.dtype = source.dtype, .ndim = static_cast<uint8_t>(source.ndim()), .inner = ir::InnerStride::contiguous});
    const uint32_t out = add_result(builder, target.strides, target.dtype);
    const std::vector<Value> at = all_indices(builder, target.extents.size());
    auto element = [&](Value k) {
      std::vector<Value> indices(at.begin(), at.begin() + static_cast<long>(lanes.size()));
      indices.insert(indices.begin() + static_cast<long>(axis), k);
      return builder.load(in, indices);
    };
    const Value total =
        builder.reduce(node_.form->reduce, order(axis + 1 == partial.lanes.size()), builder.constant(DType::int64, 0),
                       builder.dimension(in, static_cast<int>(axis)), element);
    builder.store(out, builder.cast(total, target.dtype), at);
    push(builder, target.extents,
         {{.slot = partial.slot, .strides = source.strides, .dimensions = source.shape}, target.binding}, source.size(),
         false);
    return target.partial;
  }

  Draft& draft_;
  const Group& group_;
  const int index_;
  const graph::Node& node_;
  KernelDraft kernel_;
  int axis_ = -1;  // the axis of the loop nest that is reduced first
  int64_t length_ = 0;
  int64_t chunk_ = chunk;  // elements of it that are reduced together
  bool innermost_ = false;
  std::vector<Lane> lanes_;
};

}  // namespace

void lower_reduction(Draft& draft, int group) { ReductionLowering(draft, group).run(); }

}  // namespace tessera::plan
