// scatter: values written to the elements, or blocks of them, that index arrays select.
#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/rows/indexing.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

using library::IndexKind;

Indexing indexing_of_scatter(const ops::CallView& call) {
  return {call.operand(0), call.operand(2), call.operands.size() - 2, call.arguments};
}

Indexing indexing_of_scatter(const CallBase& call) {
  return {call.operand(0).view, call.operand(2).view, call.operands.size() - 2, call.arguments};
}

int64_t written_count(const Indexing& indexing) {
  int64_t count = indexing.count();
  if (indexing.kind != IndexKind::axes) return count;
  for (int k = 0; k < indexing.array.ndim(); ++k)
    if (k < indexing.first || k >= indexing.first + indexing.arrays) count *= indexing.array.shape[k];
  return count;
}

/// Operands: the array, the values, index arrays. The values are one element, or one for each that is written, in the
/// order axes before, index arrays, axes behind; by numbers of all elements they are repeated as often as needed.
void infer_scatter(const ops::CallView& call, std::span<ops::ResultType>) {
  const View &a = call.operand(0), &values = call.operand(1);
  Indexing::check(a, call.operands.subspan(2), call.arguments);
  const Indexing indexing = indexing_of_scatter(call);
  require<TypeError>(values.dtype == a.dtype, "scatter: values of {} for an array of {}", values.dtype, a.dtype);
  const int64_t size = values.size(), written = written_count(indexing);
  const bool is_flat = indexing.kind == IndexKind::flat;
  require<ValueError>(indexing.kind != IndexKind::along || indexing.mode == library::IndexMode::raise,
                      "scatter: indices out of range are an error along an axis");
  require<IndexError>(a.size() > 0 || written == 0, "cannot replace elements of an empty array");
  require<ShapeError>(size == 1 || size == written || (is_flat && size > 0), "scatter: {} values for {} elements", size,
                      written);
}

void scatter_blocks(const Elements& a, const Elements& values, const Indexing& indexing, const HostIndices& indices) {
  const View block = block_of(a.view, indexing.first, indexing.arrays);
  View packed = block;
  int64_t step = 0;
  if (values.size() == 1) {
    packed.strides = Dims(packed.shape.size(), 0);
  } else {
    const View all = View::contiguous(indexing.result_shape(), a.dtype());
    const int before = indexing.first, picks = static_cast<int>(indexing.picked.size());
    for (int k = 0; k < packed.ndim(); ++k) packed.strides[k] = all.strides[k < before ? k : k + picks];
    step = a.view.itemsize();
    for (int k = before; k < packed.ndim(); ++k) step *= packed.shape[k];
  }
  library::scatter_indexed(a.data, indices.axes(), indexing.count(), indexing.mode, {block, packed, step}, values.data);
}

void scatter_on_host(HostCall& call) {
  const Elements &a = call.operand(0), &values = call.operand(1);
  const Indexing indexing = indexing_of_scatter(call);
  const HostIndices indices(call.operands.subspan(2), indexing);
  if (indexing.kind == IndexKind::axes) return scatter_blocks(a, values, indexing, indices);
  const std::vector<int64_t> offsets = indices.offsets(indexing);
  const View element{.dtype = a.dtype()};
  if (values.size() == 1) return library::scatter(a.data, offsets, {element, element, 0}, values.data);
  const auto period = static_cast<size_t>(values.size());
  for (size_t first = 0; first < offsets.size(); first += period)
    library::scatter(a.data, std::span(offsets).subspan(first, std::min(period, offsets.size() - first)),
                     {element, element, element.itemsize()}, values.data);
}

void scatter_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &values = call.operand(1);
  const Indexing indexing = indexing_of_scatter(call);
  const int64_t count = indexing.count();
  const Ref<runtime::Buffer> rows = call.launcher.allocate(count, DType::int64);
  number_rows(call.launcher, indexing.on_device(call.operands.subspan(2)), rows->data());
  const bool is_single = values.size() == 1;
  const int64_t period = is_single ? 1 : indexing.kind == IndexKind::axes ? count : values.size();
  put_rows(call.launcher, a.data, indexing.layout(), rows->data(), count, {values.data, is_single, period});
}

ops::Cost cost_of_scatter(const ops::CallView& call) {
  return ops::cost_by_element("put", written_count(indexing_of_scatter(call)), 4, 100, 1, 4);
}

bool scatter_suits_device(const ops::CallView& call) {
  const int64_t picks = call.operand(2).size();
  return call.operand(0).size() > 0 && call.operand(1).size() > 0 && picks > 0 && picks < int64_t{1} << 32 &&
         call.operands.size() - 2 <= most_index_arrays;
}

}  // namespace

void add_scatter(Table& table) {
  using enum ops::ParameterKind;
  table.add(
      {.routine = {.name = "scatter",
                   .doc = "Writes values to the elements, or blocks over the other axes, that index arrays select; "
                          "the last one wins.",
                   .parameters = {{"a"},
                                  {"values"},
                                  {"indices", arrays},
                                  {"first", integer},
                                  {"kind", integer},
                                  {"mode", integer},
                                  {"axes", integers}},
                   .result_count = 0,
                   .infer = infer_scatter,
                   .cost = cost_of_scatter,
                   .time = ops::CallTime::at_call,
                   .writes_first = true},
       .on_host = scatter_on_host,
       .on_device = scatter_on_device,
       .suits_device = scatter_suits_device,
       .takes_views = 1});
}

}  // namespace tessera::routines
