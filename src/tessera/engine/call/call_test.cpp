// Calls of routines: a routine added at run time, and calls recorded between other work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/engine/engine.h"
#include "tessera/profile/counters.h"
#include "tessera/routines/dense.h"
#include "tessera/routines/table.h"

namespace tessera {
namespace {

// The worked example of CONTRIBUTING.md: the upper triangle of a matrix of doubles.

void triangle_on_host(routines::HostCall& call) {
  const int64_t rows = call.operand().shape()[0], columns = call.operand().shape()[1];
  const int64_t diagonal = call.arguments.integer(0);
  const auto* from = call.operand().as<double>();
  auto* to = call.result().as<double>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k) to[i * columns + k] = k - i >= diagonal ? from[i * columns + k] : 0;
}

/// buffers: x, out; scalars: columns, diagonal
ir::Kernel triangle_kernel() {
  routines::Dense d(1, "triangle");
  const uint32_t x = d.read(DType::float64), out = d.write(DType::float64);
  const ir::Value columns = d.number(), diagonal = d.number(), i = d.b.index(0);
  const ir::Value edge = d.b.add(d.over(i, columns), diagonal), column = d.rest(i, columns);
  d.store(out, d.b.select(d.b.ge(column, edge), d.load(x, i), d.b.constant(DType::float64, 0)), i);
  return d.b.take();
}

void triangle_on_device(routines::DeviceCall& call) {
  call.launcher.run({.name = "triangle",
                     .make = [] { return triangle_kernel(); },
                     .extents = {call.operand().size()},
                     .buffers = {call.operand().data, call.result().data},
                     .scalars = {call.operand().shape()[1], call.arguments.integer(0)}});
}

const ops::Routine& triangle() {
  static const ops::Routine& added =
      routines::Table::standard()
          .add({.routine = {.name = "test_triangle",
                            .doc = "The upper triangle of a matrix of doubles, from the k-th diagonal on.",
                            .parameters = {{"m"}, {"k", ops::ParameterKind::integer, 0}},
                            .infer =
                                [](const ops::CallView& call, std::span<ops::ResultType> results) {
                                  const View& m = call.operand(0);
                                  require<ShapeError>(m.ndim() == 2, "test_triangle: {} axes, not 2", m.ndim());
                                  results[0] = {m.shape, m.dtype};
                                },
                            .cost =
                                [](const ops::CallView& call) {
                                  return ops::cost_by_element("test_triangle", call.operand(0).size(), 1, 16, 0, 1);
                                }},
                .on_host = triangle_on_host,
                .on_device = triangle_on_device})
          .routine;
  return added;
}

class CallTest : public ::testing::TestWithParam<const char*> {
 protected:
  CallTest() { engine_.settings().set_device(GetParam()); }
  ~CallTest() override { engine_.settings().set_device("cpu"); }

  Array matrix(int64_t rows, int64_t columns) {
    Array array = engine_.empty(Dims{rows, columns}, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(array));
    for (int64_t i = 0; i < array.size(); ++i) data[i] = static_cast<double>((i * 7919) % 1000);
    return array;
  }
  Array times(const Array& a, double factor) {
    return engine_.map("multiply", {a, Operand(Scalar::of_float(DType::float64, factor))});
  }
  std::vector<double> values(const Array& array) {
    const Array dense = engine_.contiguous(array, DType::float64);
    const auto* data = reinterpret_cast<const double*>(engine_.read(dense));
    return {data, data + array.size()};
  }
  int64_t counted(profile::Counter counter) { return profile::value(counter); }

  Engine& engine_ = Engine::instance();
};

TEST_P(CallTest, ARoutineAddedAtRunTimeRunsBetweenRecordedWork) {
  for (const int64_t n : {6, 300}) {
    const Array a = matrix(n, n);
    const Array result = times(engine_.call_for_one(triangle(), std::span(&std::as_const(a), 1), {1}, {}), 2);
    const std::vector<double> got = values(result), from = values(a);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < n; ++k) ASSERT_EQ(got[i * n + k], k > i ? 2 * from[i * n + k] : 0) << i << " " << k;
  }
}

TEST_P(CallTest, ErrorsOfShapesAreThrownAtTheCall) {
  const Array line = engine_.empty(Dims{5000}, DType::float64);
  EXPECT_THROW(engine_.call(triangle(), std::span(&line, 1), {0}, {}), ShapeError);
  EXPECT_THROW(engine_.call("no such routine", {line}), ValueError);
}

TEST_P(CallTest, ACallKeepsTheOrderOfTheStream) {
  const Array a = matrix(40, 200);
  const std::vector<double> before = values(a);
  const Array sorted = engine_.call("sort", {times(a, 3)});
  engine_.assign(a, Operand(Scalar::of_float(DType::float64, -1.0)), {});  // after the call has been recorded
  const Array changed = engine_.call("sort", {a});
  const std::vector<double> first = values(sorted), second = values(changed);
  for (size_t row = 0; row < 40; ++row) {
    std::vector<double> want(before.begin() + static_cast<long>(200 * row),
                             before.begin() + static_cast<long>(200 * (row + 1)));
    std::sort(want.begin(), want.end());
    for (size_t k = 0; k < 200; ++k) {
      ASSERT_EQ(first[200 * row + k], 3 * want[k]);
      ASSERT_EQ(second[200 * row + k], -1);
    }
  }
}

TEST_P(CallTest, ALoopOfCallsRunsWhileItIsRecorded) {
  Array a = matrix(50, 100);
  std::vector<double> want = values(a);
  for (int iteration = 0; iteration < 60; ++iteration) {
    a = engine_.call("sort", {times(a, -1)});
    for (size_t row = 0; row < 50; ++row) {
      const auto begin = want.begin() + static_cast<long>(100 * row);
      std::transform(begin, begin + 100, begin, [](double x) { return -x; });
      std::sort(begin, begin + 100);
    }
  }
  EXPECT_EQ(values(a), want);
}

INSTANTIATE_TEST_SUITE_P(Devices, CallTest, ::testing::Values("cpu", "simulated", "auto:simulated"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

}  // namespace
}  // namespace tessera
