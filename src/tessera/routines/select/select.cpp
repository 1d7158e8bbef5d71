// count_nonzero, nonzero, mask_select, mask_put: how many elements are not zero, where they are, and the elements at
// the positions that a mask selects, read or written.
#include "tessera/library/host/select.h"
#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/select/selection.h"
#include "tessera/routines/table.h"
#include "tessera/routines/take/slabs.h"

namespace tessera::routines {

namespace {

Selection selection_of(DeviceCall& call, const Elements& mask) {
  return Selection(call.launcher, mask.dtype(), mask.size(), mask.data);
}

void count_on_host(HostCall& call) {
  const Elements& a = call.operand();
  *call.result().as<int64_t>() = library::count_nonzero(a.data, a.dtype(), a.size());
}

void count_on_device(DeviceCall& call) {
  const Selection selection = selection_of(call, call.operand());
  call.launcher.device().stream().copy(call.result().data, selection.counted(), 8);
}

void nonzero_on_host(HostCall& call) {
  const Elements& a = call.operand();
  const int64_t count[] = {library::count_nonzero(a.data, a.dtype(), a.size())};
  std::vector<int64_t*> out;
  for (int axis = 0; axis < a.view.ndim(); ++axis) {
    call.make_result(axis, count, DType::int64);
    out.push_back(call.result(axis).as<int64_t>());
  }
  if (a.size() > 0) library::nonzero(a.data, a.dtype(), a.shape(), out);
}

void nonzero_on_device(DeviceCall& call) {
  const Elements& a = call.operand();
  Selection selection = selection_of(call, a);
  const int64_t count[] = {selection.count()};
  std::vector<const char*> out;
  for (int axis = 0; axis < a.view.ndim(); ++axis) {
    call.make_result(axis, count, DType::int64);
    out.push_back(call.result(axis).data);
  }
  selection.find(a.shape(), out);
}

/// The number of selected elements, then the axes that the mask does not have.
Dims selected_shape(const CallBase& call, int64_t count) {
  Dims shape{count};
  for (int axis = call.operand(1).view.ndim(); axis < call.operand(0).view.ndim(); ++axis)
    shape.push_back(call.operand(0).shape()[static_cast<size_t>(axis)]);
  return shape;
}

void select_on_host(HostCall& call) {
  const Elements &a = call.operand(0), &mask = call.operand(1);
  const int64_t count = library::count_nonzero(mask.data, DType::boolean, mask.size());
  call.make_result(0, selected_shape(call, count), a.dtype());
  const int64_t block = mask.size() ? a.size() / mask.size() * a.view.itemsize() : 0;
  if (block > 0) library::compress(mask.as<uint8_t>(), mask.size(), a.data, block, call.result().data);
}

/// Blocks of elements are gathered by their indices.
void select_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &mask = call.operand(1);
  Selection selection = selection_of(call, mask);
  const int64_t n = mask.size(), inner = a.size() / n, count = selection.count();
  call.make_result(0, selected_shape(call, count), a.dtype());
  if (count == 0) return;
  if (inner == 1) return selection.compress(Words(a.dtype()), a.data, call.result().data);
  const Ref<runtime::Buffer> index = call.launcher.allocate(count, DType::int64);
  const char* found[] = {index->data()};
  selection.find(Dims{n}, found);
  take_slabs(call.launcher, {a.dtype(), 1, n, count, inner}, a.data, index->data(), call.result().data);
}

void check_mask(const ops::CallView& call, std::span<ops::ResultType>) {
  const View &array = call.operand(0), &mask = call.operand(1);
  require<IndexError>(is_boolean(mask.dtype), "arrays used as masks must be of boolean type, not {}", mask.dtype);
  require<IndexError>(mask.ndim() <= array.ndim(),
                      "too many indices for array: array is {}-dimensional, but {} were indexed", array.ndim(),
                      mask.ndim());
  for (size_t axis = 0; axis < mask.shape.size(); ++axis) {
    require<IndexError>(
        mask.shape[axis] == array.shape[axis],
        "boolean index did not match indexed array along axis {}; size of axis is {} but size of corresponding "
        "boolean axis is {}",
        axis, array.shape[axis], mask.shape[axis]);
  }
}

void check_count(const CallBase& call, int64_t count) {
  const int64_t given = call.operand(1).size();
  require<ValueError>(given == count,
                      "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values "
                      "where the mask is true",
                      given, count);
}

/// Operands: the array that is written, values, and the mask.
void put_on_host(HostCall& call) {
  const Elements &a = call.operand(0), &values = call.operand(1), &mask = call.operand(2);
  check_count(call, library::count_nonzero(mask.data, DType::boolean, mask.size()));
  library::mask_assign(a.data, a.view, mask.data, mask.view, values.data, false);
}

void put_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &values = call.operand(1);
  Selection selection = selection_of(call, call.operand(2));
  check_count(call, selection.count());
  if (selection.count() > 0) selection.expand(Words(a.dtype()), values.data, a.data);
}

void check_put(const ops::CallView& call, std::span<ops::ResultType>) {
  const View &a = call.operand(0), &values = call.operand(1), &mask = call.operand(2);
  require<TypeError>(values.dtype == a.dtype && is_boolean(mask.dtype), "mask_put: {} into {} by a mask of {}",
                     values.dtype, a.dtype, mask.dtype);
  require<ShapeError>(mask.shape == a.shape, "mask_put: a mask of shape {} for {}", shape_text(mask.shape),
                      shape_text(a.shape));
}

bool has_elements(const ops::CallView& call) { return call.operand(0).size() > 0; }

/// Nothing where the last operand, in which something is sought, has no rows.
std::optional<Parts> rows_of(const ops::CallView& call, Parts parts) {
  return call.operands.back()->ndim() > 0 ? std::optional(std::move(parts)) : std::nullopt;
}

ops::Cost cost_of_count(const ops::CallView& call) {
  const auto size = static_cast<double>(call.operand(0).itemsize());
  return ops::cost_by_element("count_nonzero", call.operand(0).size(), 0.3, size, 1);
}

}  // namespace

void add_select(Table& table) {
  table.add({.routine = {.name = "count_nonzero",
                         .doc = "How many elements are not zero.",
                         .parameters = {{"a"}},
                         .infer = [](const ops::CallView&,
                                     std::span<ops::ResultType> results) { results[0] = {{}, DType::int64}; },
                         .cost = cost_of_count},
             .on_host = count_on_host,
             .on_device = count_on_device,
             .suits_device = has_elements,
             .in_parts = [](const ops::CallView& call) { return rows_of(call, {.axes = {0}, .is_sum = true}); }});
  table.add({.routine = {.name = "nonzero",
                         .doc = "The indices of the elements that are not zero, one array an axis.",
                         .parameters = {{"a"}},
                         .infer = [](const ops::CallView&, std::span<ops::ResultType>) {},
                         .cost =
                             [](const ops::CallView& call) {
                               return ops::cost_by_element("nonzero", call.operand(0).size(), 2, 24, 1, 4);
                             },
                         .time = ops::CallTime::at_call},
             .on_host = nonzero_on_host,
             .on_device = nonzero_on_device,
             .suits_device = [](const ops::CallView& c) { return has_elements(c) && c.operand(0).ndim() <= 8; },
             .count_results = [](const ops::CallView& call) { return call.operand(0).ndim(); },
             .in_parts = [](const ops::CallView& call) { return rows_of(call, {.axes = {0}, .counts_slabs = true}); }});
  table.add({.routine = {.name = "mask_select",
                         .doc = "The elements, or blocks over the axes behind the mask's, that a boolean mask selects.",
                         .parameters = {{"a"}, {"mask"}},
                         .infer = check_mask,
                         .cost =
                             [](const ops::CallView& call) {
                               return ops::cost_by_element("choose by mask", call.operand(0).size(), 2, 32, 1, 4);
                             },
                         .time = ops::CallTime::at_call},
             .on_host = select_on_host,
             .on_device = select_on_device,
             .suits_device = has_elements,
             .in_parts = [](const ops::CallView& call) { return rows_of(call, {.axes = {0, 0}}); }});
  table.add({.routine = {.name = "mask_put",
                         .doc = "Writes values, one after the other, to the elements that a boolean mask selects.",
                         .parameters = {{"a"}, {"values"}, {"mask"}},
                         .result_count = 0,
                         .infer = check_put,
                         .cost =
                             [](const ops::CallView& call) {
                               return ops::cost_by_element("write by mask", call.operand(0).size(), 2, 40, 1, 4);
                             },
                         .time = ops::CallTime::at_call,
                         .writes_first = true},
             .on_host = put_on_host,
             .on_device = put_on_device,
             .suits_device = has_elements});
}

}  // namespace tessera::routines
