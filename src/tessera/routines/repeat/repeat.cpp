// repeat_each, repeat: the elements along an axis several times over, by one count or one count each.
#include "tessera/library/host/repeat.h"
#include "tessera/base/error.h"
#include "tessera/routines/bins/bins.h"
#include "tessera/routines/list.h"
#include "tessera/routines/repeat/kernels.h"
#include "tessera/routines/scan/scan.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/table.h"
#include "tessera/routines/take/slabs.h"
#include "tessera/routines/words.h"

namespace tessera::routines {

namespace {

/// Extents before, along and behind an axis.
struct Split {
  int64_t outer = 1, n = 1, inner = 1;
  Split(const Dims& shape, int64_t axis) {
    for (size_t k = 0; k < shape.size(); ++k) {
      const auto at = static_cast<int64_t>(k);
      (at < axis ? outer : at == axis ? n : inner) *= shape[k];
    }
  }
};

/// `shape` with another extent along the axis; throws when it has too many elements.
Dims with_extent(Dims shape, int64_t axis, int64_t extent, DType dtype) {
  shape[static_cast<size_t>(axis)] = extent;
  checked_size(shape, itemsize(dtype));
  return shape;
}

constexpr const char* negative = "repeats may not contain negative values.";
constexpr const char* too_long = "repeat: {} elements repeated {} times are more than an array can have";

void check_axis(const View& a, int64_t axis) {
  require<ValueError>(axis >= 0 && axis < a.ndim(), "repeat: axis {} is out of bounds for {} axes", axis, a.ndim());
}

/// Arguments: the axis, and how often each element is repeated.
void infer_each(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  const int64_t axis = call.arguments.integer(0), count = call.arguments.integer(1);
  check_axis(a, axis);
  require<ValueError>(count >= 0, negative);
  const int64_t n = a.shape[static_cast<size_t>(axis)];
  int64_t total = 0;
  require<ValueError>(!__builtin_mul_overflow(n, count, &total), too_long, n, count);
  results[0] = {with_extent(a.shape, axis, total, a.dtype), a.dtype};
}

ops::Cost cost_of_each(const ops::CallView& call) {
  const auto count = static_cast<double>(call.arguments.integer(1));
  return ops::cost_by_element("repeat", call.operand(0).size(), 2 * count, 60 * count, 0, 1);
}

void repeat_each_on_host(HostCall& call) {
  const Elements &a = call.operand(), &out = call.result();
  const Split split(a.shape(), call.arguments.integer(0));
  const int64_t count = call.arguments.integer(1);
  if (out.size() > 0)
    library::repeat(a.data, split.outer, split.n, split.inner * a.view.itemsize(), &count, true, out.data);
}

void repeat_each_on_device(DeviceCall& call) {
  const Elements &a = call.operand(), &out = call.result();
  const Words words(a.dtype());
  const int64_t inner = Split(a.shape(), call.arguments.integer(0)).inner * words.each, total = out.size() * words.each;
  const bool single = inner == 1, is_short = total < int64_t{1} << 32;
  std::vector<int64_t> scalars{call.arguments.integer(1) * inner};
  if (!single) scalars.push_back(inner);
  call.launcher.run({.name = format("repeat_each {} {} {}", name(words.word), single, is_short),
                     .make = [=] { return repeat_each_kernel(words.word, single, is_short); },
                     .extents = {total},
                     .buffers = {a.data, out.data},
                     .scalars = std::move(scalars)});
}

/// Operands: the elements, and a count (int64) for each of them along the axis, which is the argument.
void repeat_on_host(HostCall& call) {
  const Elements &a = call.operand(0), &counts = call.operand(1);
  const int64_t axis = call.arguments.integer(0), *numbers = counts.as<int64_t>();
  int64_t total = 0;
  for (int64_t k = 0; k < counts.size(); ++k) {
    require<ValueError>(numbers[k] >= 0, negative);
    require<ValueError>(!__builtin_add_overflow(total, numbers[k], &total), too_long, counts.size(), numbers[k]);
  }
  call.make_result(0, with_extent(a.shape(), axis, total, a.dtype()), a.dtype());
  const Split split(a.shape(), axis);
  if (call.result().size() > 0)
    library::repeat(a.data, split.outer, split.n, split.inner * a.view.itemsize(), numbers, false, call.result().data);
}

/// The element that each copy is of, then a gather by that.
void repeat_on_device(DeviceCall& call) {
  const Elements &a = call.operand(0), &counts = call.operand(1);
  const int64_t axis = call.arguments.integer(0), n = counts.size();
  const library::Extremes found = find_extremes(call.launcher, DType::int64, n, counts.data);
  require<ValueError>(found.low >= 0, negative);
  if (found.high > INT64_MAX / n) throw NoDeviceCode{};  // the host finds out whether there are too many
  const Ref<runtime::Buffer> ends = call.launcher.allocate(n, DType::int64);
  scan_lanes(call.launcher, {library::ScanOp::add, DType::int64, DType::int64}, {1, n, 1}, counts.data, ends->data());
  int64_t total = 0;
  call.launcher.fetch(&total, ends->data() + 8 * (n - 1), sizeof total);
  call.make_result(0, with_extent(a.shape(), axis, total, a.dtype()), a.dtype());
  if (call.result().size() == 0) return;
  const Ref<runtime::Buffer> places = call.launcher.allocate(total, DType::int64);
  call.launcher.run({.name = "repeat_places",
                     .make = [] { return repeat_places_kernel(); },
                     .extents = {total},
                     .buffers = {ends->data(), places->data()},
                     .scalars = {n}});
  const Split split(a.shape(), axis);
  take_slabs(call.launcher, {a.dtype(), split.outer, n, total, split.inner}, a.data, places->data(),
             call.result().data);
}

void check_counts(const ops::CallView& call, std::span<ops::ResultType>) {
  const View &a = call.operand(0), &counts = call.operand(1);
  const int64_t axis = call.arguments.integer(0);
  check_axis(a, axis);
  require<TypeError>(counts.dtype == DType::int64, "repeat: counts must be int64");
  const int64_t n = a.shape[static_cast<size_t>(axis)];
  require<ValueError>(counts.size() == n, "operands could not be broadcast together with shape ({},) ({},)", n,
                      counts.size());
}

}  // namespace

void add_repeat(Table& table) {
  using enum ops::ParameterKind;
  table.add(
      {.routine = {.name = "repeat_each",
                   .doc = "The elements along an axis, each `count` times over.",
                   .parameters = {{"a"}, {"axis", integer, 0}, {"count", integer, 2}},
                   .infer = infer_each,
                   .cost = cost_of_each},
       .on_host = repeat_each_on_host,
       .on_device = repeat_each_on_device,
       .suits_device = [](const ops::CallView& c) { return c.operand(0).size() > 0 && c.arguments.integer(1) > 0; },
       .in_parts =
           [](const ops::CallView& call) {
             const bool makes_rows = call.arguments.integer(0) == 0;
             return std::optional(Parts{.axes = {0}, .made = makes_rows ? call.arguments.integer(1) : 1});
           }});
  table.add({.routine = {.name = "repeat",
                         .doc = "The elements along an axis, each as often as its count says.",
                         .parameters = {{"a"}, {"counts"}, {"axis", integer, 0}},
                         .infer = check_counts,
                         .cost =
                             [](const ops::CallView& call) {
                               return ops::cost_by_element("repeat", call.operand(0).size(), 4, 120, 2, 5);
                             },
                         .time = ops::CallTime::at_call},
             .on_host = repeat_on_host,
             .on_device = repeat_on_device,
             .suits_device = [](const ops::CallView& call) { return call.operand(0).size() > 0; }});
}

}  // namespace tessera::routines
