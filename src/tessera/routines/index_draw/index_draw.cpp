// index_draw: random numbers that depend only on a key and an index. A call has no operands.
#include <functional>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/routines/index_draw/kernels.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines {

namespace {

/// The arguments: kind of draw, dtype, the key, the number of the first draw, the bounds of integers, and the shape.
struct Draw {
  IndexDraw kind;
  DType dtype;
  std::array<uint64_t, 2> key;
  uint64_t first;
  int64_t low, range;
  std::span<const int64_t> shape;

  explicit Draw(const ops::Arguments& a)
      : kind{static_cast<IndexDraw>(a.integer(0))},
        dtype(a.dtype(1)),
        key{static_cast<uint64_t>(a.integer(2)), static_cast<uint64_t>(a.integer(3))},
        first(static_cast<uint64_t>(a.integer(4))),
        low(a.integer(5)),
        range(a.integer(6)),
        shape(a.from(7)) {}
  int64_t count() const { return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()); }
  bool is_integer() const { return kind == IndexDraw::integers || kind == IndexDraw::long_integers; }
};

/// `is_aligned`: the result suits stores of 16 bytes.
KernelLaunch launch_of(const Draw& draw, const char* out, bool is_aligned) {
  const int64_t each = numbers_a_block(draw.dtype), count = draw.count();
  const auto skip = static_cast<int64_t>(draw.first % static_cast<uint64_t>(each));
  std::vector<int64_t> scalars =
      draw_scalars(draw.kind, draw.dtype, draw.key, draw.first / static_cast<uint64_t>(each));
  scalars.insert(scalars.end(), {skip, count});
  if (draw.is_integer()) scalars.insert(scalars.end(), {draw.low, draw.range});
  const bool whole = is_aligned && skip == 0;
  return {.name = format("index_draw {} {} {}", static_cast<int>(draw.kind), name(draw.dtype), whole),
          .make = [kind = draw.kind, dtype = draw.dtype, whole] { return index_draw_kernel(kind, dtype, whole); },
          .extents = {(skip + count + each - 1) / each},
          .buffers = {out},
          .scalars = std::move(scalars)};
}

void draw_on_host(HostCall& call) {
  const Elements& out = call.result();
  call.run(launch_of(Draw(call.arguments), out.data, false), 64 * out.size());
}

void draw_on_device(DeviceCall& call) {
  const char* out = call.result().data;
  call.launcher.run(launch_of(Draw(call.arguments), out, reinterpret_cast<uintptr_t>(out) % 16 == 0));
}

void infer_index_draw(const ops::CallView& call, std::span<ops::ResultType> results) {
  const int64_t kind = call.arguments.integer(0), dtype = call.arguments.integer(1);
  require<ValueError>(kind >= 0 && kind <= static_cast<int>(IndexDraw::long_integers), "index_draw: no kind {}", kind);
  const bool draws_integers = kind >= static_cast<int>(IndexDraw::integers);
  const bool fits = draws_integers
                        ? dtype == static_cast<int>(DType::int64)
                        : dtype == static_cast<int>(DType::float64) || dtype == static_cast<int>(DType::float32);
  require<TypeError>(fits, "index_draw: no numbers of dtype {}", dtype);
  const Draw draw(call.arguments);
  checked_size(draw.shape, itemsize(draw.dtype));
  results[0] = {Dims(draw.shape), draw.dtype};
}

ops::Cost cost_of_index_draw(const ops::CallView& call) {
  const Draw draw(call.arguments);
  return ops::cost_by_element("index draw", draw.count(), 8.0 / runtime::thread_count(),
                              static_cast<double>(itemsize(draw.dtype)), 0, 1);
}

}  // namespace

void add_index_draw(Table& table) {
  using ops::ParameterKind;
  table.add({.routine = {.name = "index_draw",
                         .doc = "Random numbers that depend only on a key and on their number in the stream.",
                         .parameters = {{"kind", ParameterKind::integer},
                                        {"dtype", ParameterKind::integer},
                                        {"seed", ParameterKind::integer},
                                        {"stream", ParameterKind::integer},
                                        {"first", ParameterKind::integer},
                                        {"low", ParameterKind::integer},
                                        {"range", ParameterKind::integer},
                                        {"shape", ParameterKind::integers}},
                         .infer = infer_index_draw,
                         .cost = cost_of_index_draw},
             .on_host = draw_on_host,
             .on_device = draw_on_device});
}

}  // namespace tessera::routines
