// Copies between layouts in device memory (routines/transpose), against plain loops on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tessera/engine/engine.h"
#include "tessera/library/host/copy.h"
#include "tessera/profile/counters.h"
#include "tessera/routines/table.h"
#include "tessera/routines/transpose/transpose.h"

namespace tessera {
namespace {

/// A routine that copies its operand into C order, as complex numbers if its argument says so.
const ops::Routine& copy_routine() {
  static const ops::Routine& added =
      routines::Table::standard()
          .add({.routine = {.name = "test_copy",
                            .doc = "A copy in C order.",
                            .parameters = {{"a"}, {"widens", ops::ParameterKind::boolean, 0}},
                            .infer =
                                [](const ops::CallView& call, std::span<ops::ResultType> results) {
                                  const View& a = call.operand(0);
                                  results[0] = {a.shape, call.arguments.boolean(0) ? complex_dtype(a.dtype) : a.dtype};
                                },
                            .cost =
                                [](const ops::CallView& call) {
                                  return ops::cost_by_element("test_copy", call.operand(0).size(), 1, 16);
                                }},
                .on_host =
                    [](routines::HostCall& call) {
                      library::copy_view(call.operand().data, call.operand().view, call.result().data,
                                         call.result().view);
                    },
                .on_device =
                    [](routines::DeviceCall& call) {
                      routines::copy_elements(call.launcher, call.operand(), call.result());
                    },
                .takes_views = 1})
          .routine;
  return added;
}

class Transpose : public ::testing::Test {
 protected:
  Transpose() { engine_.settings().set_device("simulated"); }
  ~Transpose() override { engine_.settings().set_device("cpu"); }

  Array numbers(const Dims& shape, DType dtype) {
    Array array = engine_.empty(shape, dtype);
    char* data = engine_.write(array);
    uint64_t state = 1;
    // Small numbers, as bytes of every dtype: NaNs would not compare.
    for (int64_t k = 0; k < array.size() * array.view.itemsize(); ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      data[k] = static_cast<char>(state >> 61);
    }
    return array;
  }

  void expect_copied(const Array& array, bool widens = false) {
    const DType dtype = widens ? complex_dtype(array.dtype()) : array.dtype();
    const View dense = View::contiguous(array.shape(), dtype);
    const int64_t before = profile::value(profile::Counter::device_launches);
    const Array got = engine_.call_for_one(copy_routine(), std::span(&array, 1), {widens}, {});
    const char* bytes = engine_.read(got);
    EXPECT_GT(profile::value(profile::Counter::device_launches), before);
    std::vector<char> want(static_cast<size_t>(dense.size() * dense.itemsize()));
    library::copy_view(engine_.read(array), array.view, want.data(), dense);
    EXPECT_EQ(std::memcmp(bytes, want.data(), want.size()), 0) << array.view << " as " << name(dtype);
  }

  Engine& engine_ = Engine::instance();
};

TEST_F(Transpose, MatricesOfEveryItemSize) {
  for (DType dtype : {DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex64, DType::complex128})
    for (const Dims& shape : {Dims{300, 300}, Dims{2049, 64}, Dims{9, 9001}, Dims{70'001, 3}}) {
      const Array a = numbers(shape, dtype);
      expect_copied(a.with_view(a.view.swap_axes(0, 1)));
    }
}

TEST_F(Transpose, AnyTwoAxesOfSeveral) {
  const Array a = numbers({11, 13, 17, 19}, DType::float64);
  for (int x = 0; x < 4; ++x)
    for (int y = x + 1; y < 4; ++y) expect_copied(a.with_view(a.view.swap_axes(x, y)));
  const int cycle[] = {2, 0, 3, 1};
  expect_copied(a.with_view(a.view.transpose(cycle)));
}

TEST_F(Transpose, StepsBackwardsAndBroadcasts) {
  const Array a = numbers({201, 203}, DType::float64);
  expect_copied(a.with_view(a.view.slice(0, 200, -1, 201)));
  expect_copied(a.with_view(a.view.slice(1, 1, 2, 100)));
  expect_copied(a.with_view(a.view.slice(1, 202, -2, 100).swap_axes(0, 1)));
  expect_copied(a.with_view(a.view.broadcast_to(Dims{3, 201, 203}).swap_axes(1, 2)));
}

TEST_F(Transpose, RealNumbersBecomeComplex) {
  for (DType dtype : {DType::float32, DType::float64}) {
    const Array a = numbers({130, 270}, dtype);
    expect_copied(a, true);
    expect_copied(a.with_view(a.view.swap_axes(0, 1)), true);
  }
}

}  // namespace
}  // namespace tessera
