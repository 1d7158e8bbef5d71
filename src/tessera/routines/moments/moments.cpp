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

  /// `rows_of_all`: of the middle axis, of which the operand has some.
  Lanes(const View& operand, const ops::Arguments& arguments, int64_t rows_of_all)
      : from(operand.dtype),
        to(arguments.dtype(0)),
        outer(operand.shape[0]),
        n(rows_of_all),
        inner(operand.shape[2]),
        size(n * inner) {
    constexpr int64_t fewest_lanes = 32, rows_a_chunk = 1024;
    width = inner * ((fewest_lanes + inner - 1) / inner);
    // One of the chunks ends about where the first of two places does.
    const int64_t rows = (size + width - 1) / width, half = rows < 2 * rows_a_chunk ? rows : first_row(rows, 1, 2),
                  wanted = std::max<int64_t>(1, half / rows_a_chunk);
    chunk = ((half + wanted - 1) / wanted + moment_rows - 1) / moment_rows * moment_rows;
    chunks = (rows + chunk - 1) / chunk;
  }
  explicit Lanes(const CallBase& call)
      : Lanes(call.operand().view, call.arguments, call.part ? call.part->extent : call.operand().shape()[1]) {}

  int64_t results() const { return outer * inner; }
  int64_t groups() const { return width / inner; }           // of lanes, in a row of the threads' lanes
  int64_t rows_a_chunk() const { return chunk * groups(); }  // of the middle axis
  int64_t whole() const { return size / width; }
};

/// Of the chunks from `first` on.
KernelLaunch moments_of(const Lanes& lanes, int64_t first, int64_t chunks, const char* x, const char* moments) {
  // The kernel counts elements from the first of all.
  x -= first * lanes.rows_a_chunk() * lanes.inner * itemsize(lanes.from);
  return {
      .name = format("moments {} {}", name(lanes.from), name(lanes.to)),
      .make = [from = lanes.from, to = lanes.to] { return moments_kernel(from, to); },
      .extents = {lanes.outer * chunks, lanes.width},
      .buffers = {x, moments},
      .scalars = {lanes.size, lanes.width, lanes.inner, lanes.chunk, chunks, lanes.whole(), lanes.results(), first}};
}

/// Joins `count` moments for each result by kernels that `run` launches, in memory for numbers of float64 that
/// `allocate` gives.
template <class Run, class Allocate>
void join(DType to, int64_t count, int64_t results, const char* moments, const CallBase& call, Run&& run,
          Allocate&& allocate) {
  constexpr int64_t most_joined = 32, few_joined = 24;
  for (bool last = false; !last;) {
    last = count <= most_joined;
    const int64_t left = last ? 1 : (count + few_joined - 1) / few_joined, width = left * results;
    const char* into = last ? call.result(0).data : allocate(width * numbers_a_moment);
    std::vector<const char*> buffers{moments, into};
    if (last) buffers.push_back(call.result(1).data);
    run({.name = format("join_moments {} {}", last, name(to)),
         .make = [last, to] { return join_moments_kernel(last, to); },
         .extents = {width},
         .buffers = std::move(buffers),
         .scalars = {count * results, width}},
        count * results);
    moments = into;
    count = left;
  }
}

/// The whole call, or a part of it.
template <class Run, class Allocate, class FillZero>
void reduce(CallBase& call, Run&& run, Allocate&& allocate, FillZero&& fill_zero) {
  using enum PartOfCall::Stage;
  const DType to = call.arguments.dtype(0);
  if (call.part && call.part->stage == join) {
    fill_zero(call.result(1));
    const int64_t results = call.result(0).size();
    return routines::join(to, call.operand().size() / numbers_a_moment / results, results, call.operand().data, call,
                          run, allocate);
  }
  const Lanes lanes(call);
  if (call.part) {
    const int64_t rows = lanes.rows_a_chunk(), chunks = (call.operand().shape()[1] + rows - 1) / rows;
    const int64_t shape[] = {numbers_a_moment, chunks * lanes.groups() * lanes.results()};
    call.make_result(0, shape, DType::float64);
    return run(moments_of(lanes, call.part->begin / rows, chunks, call.operand().data, call.result().data),
               call.operand().size());
  }
  fill_zero(call.result(1));
  const int64_t count = lanes.chunks * lanes.groups();  // moments for each result
  const char* moments = allocate(count * lanes.results() * numbers_a_moment);
  run(moments_of(lanes, 0, lanes.chunks, call.operand().data, moments), lanes.outer * lanes.size);
  routines::join(to, count, lanes.results(), moments, call, run, allocate);
}

void squares_on_host(HostCall& call) {
  std::vector<std::unique_ptr<double[]>> memory;
  reduce(
      call, [&](const KernelLaunch& launch, int64_t work) { call.run(launch, work); },
      [&](int64_t count) {
        memory.push_back(std::make_unique_for_overwrite<double[]>(static_cast<size_t>(count)));
        return reinterpret_cast<const char*>(memory.back().get());
      },
      [](const Elements& words) { std::fill_n(words.as<int32_t>(), words.size(), 0); });
}

void squares_on_device(DeviceCall& call) {
  std::vector<Ref<runtime::Buffer>> memory;
  reduce(
      call, [&](KernelLaunch launch, int64_t) { call.launcher.run(std::move(launch)); },
      [&](int64_t count) { return memory.emplace_back(call.launcher.allocate(count, DType::float64))->data(); },
      [&](const Elements& words) {
        call.launcher.device().stream().fill_zero(words.data, sizeof(int32_t) * static_cast<size_t>(words.size()));
      });
}

/// Rows of lanes by themselves; of one such row, whole chunks.
std::optional<Parts> moments_in_parts(const ops::CallView& call) {
  const View& a = call.operand(0);
  if (a.shape[0] > 1) return Parts{.axes = {0}};
  const Lanes lanes(a, call.arguments, a.shape[1]);
  // The last chunk's centre comes from rows that may be the chunk's before.
  const int64_t last_rows = lanes.whole() - (lanes.chunks - 1) * lanes.chunk;
  if (lanes.chunks < 2 || last_rows < moment_rows) return {};
  return Parts{.axes = {1}, .together = lanes.rows_a_chunk(), .partials = 1, .planes = numbers_a_moment};
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
             .in_parts = moments_in_parts});
}

}  // namespace tessera::routines
