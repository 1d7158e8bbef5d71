// squares_about_mean: sums of squared distances from the mean, in one pass over the elements.
#include <algorithm>
#include <memory>

#include "tessera/base/error.h"
#include "tessera/routines/list.h"
#include "tessera/routines/moments/kernels.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

namespace {

/// The operand as rows of lanes: `n` elements for each of outer * inner lanes, `inner` apart. They are distributed over
/// the threads' lanes by the shape alone, so that the result's bits depend on nothing else.
struct Lanes {
  DType from, to;
  int64_t outer, n, inner;
  int64_t size, width, chunk, chunks;

  explicit Lanes(const CallBase& call)
      : from(call.operand().dtype()),
        to(call.arguments.dtype(0)),
        outer(call.operand().shape()[0]),
        n(call.operand().shape()[1]),
        inner(call.operand().shape()[2]),
        size(n * inner) {
    constexpr int64_t fewest_lanes = 32, rows_a_chunk = 1024;
    width = inner * ((fewest_lanes + inner - 1) / inner);
    const int64_t rows = (size + width - 1) / width, wanted = std::max<int64_t>(1, rows / rows_a_chunk);
    chunk = ((rows + wanted - 1) / wanted + moment_rows - 1) / moment_rows * moment_rows;
    chunks = (rows + chunk - 1) / chunk;
  }
  int64_t results() const { return outer * inner; }
};

/// Reduces the lanes with the kernels that `run` launches, in memory for numbers of float64 that `allocate` gives.
template <class Run, class Allocate>
void reduce(const Lanes& lanes, const char* x, const char* out, const char* odd, Run&& run, Allocate&& allocate) {
  constexpr int64_t most_joined = 32, few_joined = 24;
  const int64_t results = lanes.results();
  int64_t count = lanes.chunks * (lanes.width / lanes.inner);  // moments for each result
  const char* moments = allocate(count * results * numbers_a_moment);
  run({.name = format("moments {} {}", name(lanes.from), name(lanes.to)),
       .make = [from = lanes.from, to = lanes.to] { return moments_kernel(from, to); },
       .extents = {lanes.outer * lanes.chunks, lanes.width},
       .buffers = {x, moments},
       .scalars = {lanes.size, lanes.width, lanes.inner, lanes.chunk, lanes.chunks, lanes.size / lanes.width, results}},
      lanes.outer * lanes.size);
  for (bool last = false; !last;) {
    last = count <= most_joined;
    const int64_t left = last ? 1 : (count + few_joined - 1) / few_joined, width = left * results;
    const char* into = last ? out : allocate(width * numbers_a_moment);
    std::vector<const char*> buffers{moments, into};
    if (last) buffers.push_back(odd);
    run({.name = format("join_moments {} {}", last, name(lanes.to)),
         .make = [last, to = lanes.to] { return join_moments_kernel(last, to); },
         .extents = {width},
         .buffers = std::move(buffers),
         .scalars = {count * results, width}},
        count * results);
    moments = into;
    count = left;
  }
}

void squares_on_host(HostCall& call) {
  const Lanes lanes(call);
  std::vector<std::unique_ptr<double[]>> memory;
  std::fill_n(call.result(1).as<int32_t>(), lanes.outer, 0);
  reduce(
      lanes, call.operand().data, call.result().data, call.result(1).data,
      [&](const KernelLaunch& launch, int64_t work) { call.run(launch, work); },
      [&](int64_t count) {
        memory.push_back(std::make_unique_for_overwrite<double[]>(static_cast<size_t>(count)));
        return reinterpret_cast<const char*>(memory.back().get());
      });
}

void squares_on_device(DeviceCall& call) {
  const Lanes lanes(call);
  std::vector<Ref<runtime::Buffer>> memory;
  call.launcher.device().stream().fill_zero(call.result(1).data, sizeof(int32_t) * static_cast<size_t>(lanes.outer));
  reduce(
      lanes, call.operand().data, call.result().data, call.result(1).data,
      [&](KernelLaunch launch, int64_t) { call.launcher.run(std::move(launch)); },
      [&](int64_t count) { return memory.emplace_back(call.launcher.allocate(count, DType::float64))->data(); });
}

void infer_moments(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View& a = call.operand(0);
  require<ShapeError>(a.ndim() == 3, "squares_about_mean: {} axes, not 3", a.ndim());
  const int64_t dtype = call.arguments.integer(0);
  require<TypeError>(dtype == static_cast<int>(DType::float64) || dtype == static_cast<int>(DType::float32),
                     "squares_about_mean: no sums of dtype {}", dtype);
  require<TypeError>(!is_complex(a.dtype), "squares_about_mean: the operand is complex");
  require<ValueError>(a.size() > 0, "squares_about_mean: the operand is empty");
  results[0] = {Dims{a.shape[0], a.shape[2]}, call.arguments.dtype(0)};
  results[1] = {Dims{a.shape[0]}, DType::int32};
}

}  // namespace

void add_moments(Table& table) {
  table.add({.routine = {.name = "squares_about_mean",
                         .doc = "Sums of squared distances from the mean along the middle one of three axes, and "
                                "numbers for its rows of which some are not zero if one of them is not finite.",
                         .parameters = {{"a"}, {"dtype", ops::ParameterKind::integer}},
                         .result_count = 2,
                         .infer = infer_moments,
                         .cost =
                             [](const ops::CallView& call) {
                               const View& a = call.operand(0);
                               return ops::cost_by_element("squares about the mean", a.size(), 0.5,
                                                           static_cast<double>(a.itemsize()), 1, 4);
                             }},
             .on_host = squares_on_host,
             .on_device = squares_on_device,
             .in_parts = [](const ops::CallView& call) { return by_rows_if(call.operand(0).shape[0] > 1); }});
}

}  // namespace tessera::routines
