// take, take_within: elements by integers along an axis. Indices out of range are an error, or are brought into range.
#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/rows/indexing.h"
#include "tessera/routines/table.h"
#include "tessera/routines/take/slabs.h"

namespace tessera::routines {

using library::IndexMode;

namespace {

/// Operands: elements, and indices of any integer type. The first argument is the axis.
int axis_of(const ops::Arguments& arguments) { return static_cast<int>(arguments.integer(0)); }

IndexMode raises(const ops::Arguments&) { return IndexMode::raise; }
IndexMode brings_into_range(const ops::Arguments& arguments) {
  return arguments.boolean(1) ? IndexMode::wrap : IndexMode::clip;
}
using ModeOf = IndexMode (*)(const ops::Arguments&);

ops::ResultType result_type(const View& a, const View& indices, const ops::Arguments& arguments) {
  return {picked_shape(a, axis_of(arguments), 1, indices.shape), a.dtype};
}

void infer_take(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View &a = call.operand(0), &indices = call.operand(1);
  const int64_t axis = call.arguments.integer(0);
  require<AxisError>(axis >= 0 && axis < a.ndim(), "axis {} is out of bounds for array of dimension {}", axis,
                     a.ndim());
  require<TypeError>(is_integer(indices.dtype), "take: indices of {} are no integers", indices.dtype);
  results[0] = result_type(a, indices, call.arguments);
  const int64_t size = checked_size(results[0].shape, a.itemsize());
  require<IndexError>(a.shape[static_cast<size_t>(axis)] > 0 || size == 0,
                      "cannot do a non-empty take from an empty axes.");
}

/// Calls that may raise run at the call and make their result.
const Elements& result_of(CallBase& call, IndexMode mode) {
  if (mode == IndexMode::raise) {
    const ops::ResultType type = result_type(call.operand(0).view, call.operand(1).view, call.arguments);
    call.make_result(0, type.shape, type.dtype);
  }
  return call.result();
}

template <ModeOf mode_of>
void take_on_host(HostCall& call) {
  const IndexMode mode = mode_of(call.arguments);
  const Elements &a = call.operand(0), &indices = call.operand(1), &out = result_of(call, mode);
  const int axis = axis_of(call.arguments);
  std::vector<std::vector<int64_t>> converted;
  const int64_t extent = a.shape()[axis], item = a.view.itemsize();
  const library::IndexAxis one{as_int64(indices, converted), extent, a.view.strides[axis], axis};
  const bool is_dense = a.view.ndim() == 1 && (one.stride == item || extent == 1);
  if (is_dense && mode == IndexMode::raise)
    return library::gather_elements(a.data, item, one, indices.size(), out.data);
  const int64_t picks = out.size() > 0 || extent > 0 ? indices.size() : 0;
  const std::vector<int64_t> offsets = library::pick_offsets(std::span(&one, 1), picks, mode);
  const View view = block_of(a.view, axis, 1);
  library::PickBlock block{view, view, item};
  for (int k = 0; k < view.ndim(); ++k) {
    block.packed.strides[k] = out.view.strides[k < axis ? k : k + indices.view.ndim()];
    if (k >= axis) block.step *= view.shape[k];
  }
  library::gather(a.data, offsets, block, out.data);
}

template <ModeOf mode_of>
void take_on_device(DeviceCall& call) {
  const IndexMode mode = mode_of(call.arguments);
  const Elements &a = call.operand(0), &indices = call.operand(1), &out = result_of(call, mode);
  const int64_t axis = axis_of(call.arguments), picks = indices.size();
  const RowLayout layout(a.view, static_cast<int>(axis), 1);
  const int64_t extent = layout.rows.size();
  const RowIndices where{std::span(&indices, 1), Dims{extent}, Dims{axis}, mode};
  if (!a.view.is_c_contiguous()) {
    const Ref<runtime::Buffer> rows = call.launcher.allocate(picks, DType::int64);
    number_rows(call.launcher, where, rows->data());
    return pick_rows(call.launcher, a.data, layout, rows->data(), picks, out.data);
  }
  take_by_index(call.launcher, {a.dtype(), layout.before.size(), extent, picks, layout.behind.size()}, where, a.data,
                out.data);
}

template <int syncs>
ops::Cost cost_of_take(const ops::CallView& call) {
  const ops::ResultType type = result_type(call.operand(0), call.operand(1), call.arguments);
  return ops::cost_by_element("take", View{.shape = type.shape}.size(), 3, 64, syncs);
}

/// Along other axes than the first, everybody takes all indices of the own slabs.
std::optional<Parts> take_in_parts(const ops::CallView& call) {
  if (axis_of(call.arguments) == 0 || call.operand(1).size() == 0) return {};
  return Parts{.axes = {0, Parts::whole}};
}

bool take_suits_device(const ops::CallView& call) { return call.operand(0).size() > 0 && call.operand(1).size() > 0; }

}  // namespace

void add_take(Table& table) {
  using enum ops::ParameterKind;
  table.add({.routine = {.name = "take",
                         .doc = "The elements at integers along an axis; integers out of range are an error.",
                         .parameters = {{"a"}, {"indices"}, {"axis", integer, 0}},
                         .infer = infer_take,
                         .cost = cost_of_take<1>,
                         .time = ops::CallTime::at_call},
             .on_host = take_on_host<raises>,
             .on_device = take_on_device<raises>,
             .suits_device = take_suits_device,
             .in_parts = take_in_parts,
             .takes_views = 1});
  table.add(
      {.routine = {.name = "take_within",
                   .doc = "The same; integers out of range count from the other end, or are the nearest in range.",
                   .parameters = {{"a"}, {"indices"}, {"axis", integer, 0}, {"wraps", boolean, 0}},
                   .infer = infer_take,
                   .cost = cost_of_take<0>},
       .on_host = take_on_host<brings_into_range>,
       .on_device = take_on_device<brings_into_range>,
       .suits_device = take_suits_device,
       .in_parts = take_in_parts,
       .takes_views = 1});
}

}  // namespace tessera::routines
