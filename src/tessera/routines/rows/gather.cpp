// gather, ravel_multi_index: the elements, or blocks of them, that index arrays select, and the numbers of the
// elements.
#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/rows/indexing.h"
#include "tessera/routines/table.h"
#include "tessera/routines/take/slabs.h"

namespace tessera::routines {

namespace {

using library::IndexKind;

Indexing indexing_of_gather(const ops::CallView& call) {
  return {call.operand(0), call.operand(1), call.operands.size() - 1, call.arguments};
}

Indexing indexing_of_gather(const CallBase& call) {
  return {call.operand(0).view, call.operand(1).view, call.operands.size() - 1, call.arguments};
}

void infer_gather(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  Indexing::check(a, call.operands.subspan(1), call.arguments);
  const Indexing indexing = indexing_of_gather(call);
  require<ValueError>(indexing.mode == library::IndexMode::raise, "gather: indices out of range are an error");
  results[0] = {indexing.result_shape(), a.dtype};
  checked_size(results[0].shape, a.itemsize());
}

/// Blocks are copied one after the other: in memory the picks come before all other axes.
void gather_blocks(HostCall& call, const Indexing& indexing, const HostIndices& indices) {
  const Elements& a = call.operand();
  const View block = block_of(a.view, indexing.first, indexing.arrays);
  const int picks = static_cast<int>(indexing.picked.size()), before = indexing.first;
  Dims shape = indexing.picked;
  for (int64_t extent : block.shape) shape.push_back(extent);
  call.make_result(0, shape, a.dtype());
  const View packed = View::contiguous(block.shape, a.dtype());
  library::gather_indexed(a.data, indices.axes(), indexing.count(), {block, packed, packed.size() * packed.itemsize()},
                          call.result().data);
  if (before == 0) return;
  SmallVector<int, 8> order;
  for (int k = 0; k < before; ++k) order.push_back(picks + k);
  for (int k = 0; k < picks; ++k) order.push_back(k);
  for (int k = before; k < block.ndim(); ++k) order.push_back(picks + k);
  call.result().view = call.result().view.transpose({order.data(), order.size()});
}

void gather_on_host(HostCall& call) {
  const Elements& a = call.operand();
  const Indexing indexing = indexing_of_gather(call);
  const HostIndices indices(call.operands.subspan(1), indexing);
  if (indexing.kind == IndexKind::axes) return gather_blocks(call, indexing, indices);
  const std::vector<int64_t> offsets = indices.offsets(indexing);
  call.make_result(0, indexing.picked, a.dtype());
  const View element{.dtype = a.dtype()};
  library::gather(a.data, offsets, {element, element, element.itemsize()}, call.result().data);
}

void gather_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  const Indexing indexing = indexing_of_gather(call);
  const RowIndices where = indexing.on_device(call.operands.subspan(1));
  if (call.operands.size() == 2 && indexing.kind != IndexKind::along && a.view.is_c_contiguous()) {
    // One index array over dense elements needs no numbers of rows.
    const RowLayout layout = indexing.layout();
    call.make_result(0, indexing.result_shape(), a.dtype());
    return take_by_index(call.launcher,
                         {a.dtype(), layout.before.size(), layout.rows.size(), indexing.count(), layout.behind.size()},
                         where, a.data, call.result().data);
  }
  const Ref<runtime::Buffer> rows = call.launcher.allocate(indexing.count(), DType::int64);
  number_rows(call.launcher, where, rows->data());
  call.make_result(0, indexing.result_shape(), a.dtype());
  pick_rows(call.launcher, a.data, indexing.layout(), rows->data(), indexing.count(), call.result().data);
}

ops::Cost cost_of_gather(const ops::CallView& call) {
  return ops::cost_by_element("index", View{.shape = indexing_of_gather(call).result_shape()}.size(), 4, 64, 1);
}

bool gather_suits_device(const ops::CallView& call) {
  return call.operand(0).size() > 0 && call.operand(1).size() > 0 && call.operands.size() - 1 <= most_index_arrays;
}

/// Operands: index arrays. Arguments: the extents of the axes that they count.
void infer_numbers(const ops::CallView& call, std::span<ops::ResultType> results) {
  require<ValueError>(!call.operands.empty(), "ravel_multi_index: no index arrays are given");
  require<ValueError>(call.arguments.size() == static_cast<int>(call.operands.size()),
                      "parameter multi_index must be a sequence of length {}", call.arguments.size());
  checked_size(call.arguments.from(0), 8);
  Indexing::check_alike(call.operands);
  results[0] = {call.operand(0).shape, DType::int64};
}

void number_on_host(HostCall& call) {
  const std::span<const int64_t> extents = call.arguments.from(0);
  const View elements = View::contiguous(extents, DType::uint8);
  std::vector<std::vector<int64_t>> converted;
  SmallVector<library::IndexAxis, 4> axes;
  for (size_t k = 0; k < call.operands.size(); ++k)
    axes.push_back({as_int64(call.operands[k], converted), extents[k], elements.strides[k], static_cast<int>(k)});
  const int64_t count = call.operand().size();
  library::check_indices(axes, count);
  call.make_result(0, call.operand().shape(), DType::int64);
  library::pick_offsets(axes, 0, library::IndexMode::raise, {call.result().as<int64_t>(), static_cast<size_t>(count)});
}

void number_on_device(DeviceCall& call) {
  Dims axes;
  for (size_t k = 0; k < call.operands.size(); ++k) axes.push_back(static_cast<int64_t>(k));
  call.make_result(0, call.operand().shape(), DType::int64);
  number_rows(call.launcher, {call.operands, call.arguments.from(0), axes}, call.result().data);
}

}  // namespace

void add_rows(Table& table) {
  using enum ops::ParameterKind;
  table.add({.routine = {.name = "gather",
                         .doc = "The elements, or blocks over the other axes, that index arrays select.",
                         .parameters = {{"a"},
                                        {"indices", arrays},
                                        {"first", integer},
                                        {"kind", integer},
                                        {"mode", integer},
                                        {"axes", integers}},
                         .infer = infer_gather,
                         .cost = cost_of_gather,
                         .time = ops::CallTime::at_call},
             .on_host = gather_on_host,
             .on_device = gather_on_device,
             .suits_device = gather_suits_device,
             .takes_views = 1});
  table.add({.routine = {.name = "ravel_multi_index",
                         .doc = "The C-order numbers of the elements that index arrays select.",
                         .parameters = {{"multi_index", arrays}, {"dims", integers}},
                         .infer = infer_numbers,
                         .cost =
                             [](const ops::CallView& call) {
                               const auto arrays = static_cast<double>(call.operands.size());
                               return ops::cost_by_element("number", call.operand(0).size(), 2 * arrays,
                                                           8 * (arrays + 1), 1);
                             },
                         .time = ops::CallTime::at_call},
             .on_host = number_on_host,
             .on_device = number_on_device,
             .suits_device = [](const ops::CallView& call) {
               return call.operand(0).size() > 0 && call.operands.size() <= most_index_arrays;
             }});
}

}  // namespace tessera::routines
