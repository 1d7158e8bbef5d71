// Divisions and square roots on a GPU, of all kinds of numbers, compared with the host.
#include "tessera/codegen/device_test.h"

#include <cmath>
#include <cstdint>

#include "tessera/ir/interpreter.h"
#include "tessera/mapping/strips/map_strips.h"

namespace tessera::codegen {
namespace {

/// All kinds of numbers: zeros, numbers close to the least normal one and to infinity, random exponents and random
/// bits.
std::vector<double> numbers_of_every_kind(size_t count) {
  std::vector<double> numbers{0.0,
                              -0.0,
                              1.0,
                              -1.0,
                              3.0,
                              0.1,
                              5e-324,
                              -5e-324,
                              2.2250738585072009e-308,
                              2.2250738585072014e-308,
                              1e-300,
                              -1e-292,
                              1e300,
                              1.7976931348623157e308,
                              8.98846567431158e307,
                              HUGE_VAL,
                              -HUGE_VAL,
                              std::nan("")};
  uint64_t state = 88172645463325252ull;
  while (numbers.size() < count) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint64_t bits = state;
    if (numbers.size() % 4 != 0) bits = (state & 0x800fffffffffffffull) | ((1013 + state % 21) << 52);
    if (numbers.size() % 8 == 1) bits |= 0xfffffff000000ull;
    double number;
    std::memcpy(&number, &bits, sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

TEST_F(DeviceTest, divides_as_the_host_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel divide 2 flags 1 {\n  buffer float64 2 read contiguous\n  buffer float64 2 read strided\n"
      "  buffer float64 2 write contiguous\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = load.float64 @0 %0 "
      "%1\n"
      "  %3 = load.float64 @1 %0 %1\n  %4 = div.float64 %2 %3\n  check.float64 @0 divide %4 %2 %3\n"
      "  store.float64 @2 %4 %0 %1\n}\n");
  constexpr int64_t rows = 600, lanes = 4001;
  const std::vector<double> a = numbers_of_every_kind(lanes), b = numbers_of_every_kind(rows);
  for (const int unroll : {1, 4}) {
    for (const bool disjoint : {false, true}) {
      mapping::Operands operands{.extents = {rows, lanes}};
      if (!disjoint) operands.memory = {0, 0, 0};
      const mapping::Mapped mapped =
          mapping::write_tiles(kernel, operands, {}, {.unroll = unroll, .threads = 64, .rows = 2});
      const auto program = load(mapped);
      std::vector<double> got(rows * lanes);
      const Ref<Buffer> x = copy_in(a.data(), 8 * a.size()), y = copy_in(b.data(), 8 * b.size()),
                        z = copy_in(got.data(), 8 * got.size());
      uint32_t events = 0;
      const Ref<Buffer> flags = copy_in(&events, 4);
      const int64_t strides[] = {0, 8, 8, 0, 8 * lanes, 8}, dimensions[] = {rows, lanes, rows, lanes, rows, lanes};
      const int64_t extents[] = {rows, lanes}, begin[] = {0, 0};
      const ir::KernelArguments arguments{.buffers = nullptr,
                                          .strides = strides,
                                          .dimensions = dimensions,
                                          .scalars = nullptr,
                                          .extents = extents,
                                          .flags = nullptr};
      const char* buffers[] = {x->data(), y->data(), z->data()};
      launch(*program, mapped, kernel, pack(kernel, arguments, begin, extents, buffers, flags->data()));
      copy_out(got.data(), z, 8 * got.size());
      copy_out(&events, flags, 4);
      EXPECT_EQ(events, static_cast<uint32_t>(ir::event_divide | ir::event_overflow | ir::event_invalid));
      int wrong = 0;
      for (int64_t row = 0; row < rows && wrong < 8; ++row) {
        for (int64_t lane = 0; lane < lanes && wrong < 8; ++lane) {
          const double quotient = a[lane] / b[row], found = got[row * lanes + lane];
          const bool same = std::isnan(quotient) ? std::isnan(found) : std::memcmp(&quotient, &found, 8) == 0;
          if (!same)
            ++wrong, ADD_FAILURE() << a[lane] << " / " << b[row] << " gave " << found << " with " << unroll
                                   << " lanes a thread";
        }
      }
    }
  }
}

template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, sizeof a) == 0;
}

TEST_F(DeviceTest, divides_by_a_scalar_as_the_host_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel divide 1 flags 0 {\n  buffer float64 1 read contiguous no_alias\n  buffer float64 1 write contiguous "
      "no_alias\n"
      "  scalar float64\n  %0 = index.int64 @0\n  %1 = load.float64 @0 %0\n  %2 = scalar.float64 @0\n  %3 = "
      "div.float64 %1 %2\n"
      "  store.float64 @1 %3 %0\n}\n");
  const std::vector<double> numerators = numbers_of_every_kind(20'000);
  for (const int unroll : {1, 4}) {
    int wrong = 0;
    for (const double by : numbers_of_every_kind(200)) {
      const std::vector<double> quotients = run_over(kernel, unroll, numerators, by);
      for (size_t k = 0; k < numerators.size() && wrong < 8; ++k)
        if (!same(numerators[k] / by, quotients[k]))
          ++wrong, ADD_FAILURE() << numerators[k] << " / " << by << " gave " << quotients[k];
    }
  }
}

class DeviceRemainderTest : public DeviceTest {
 protected:
  template <class T>
  void expect_remainders(const std::vector<T>& numbers, DType dtype);
};

/// Divides each number by its counterpart counted from the other end, on the device and in the interpreter.
template <class T>
void DeviceRemainderTest::expect_remainders(const std::vector<T>& numbers, DType dtype) {
  for (const char* op : {"floor_div", "floor_mod", "rem"}) {
    const std::string type(name(dtype));
    const ir::Kernel kernel = ir::parse(
        "kernel divide 1 flags 0 {\n  buffer " + type + " 1 read contiguous no_alias\n  buffer " + type +
        " 1 write contiguous no_alias\n" + "  %0 = index.int64 @0\n  %1 = load." + type +
        " @0 %0\n  %2 = constant.int64 " + std::to_string(numbers.size() - 1) + "\n  %3 = sub.int64 %2 %0\n" +
        "  %4 = load." + type + " @0 %3\n  %5 = " + op + "." + type + " %1 %4\n  store." + type + " @1 %5 %0\n}\n");
    const int64_t count = static_cast<int64_t>(numbers.size()), begin[] = {0};
    std::vector<T> in = numbers, expected(numbers.size());
    ::tessera::codegen::Binding lanes({count});
    lanes.add(in.data(), {count}, sizeof(T)).add(expected.data(), {count}, sizeof(T));
    ir::Program(kernel).run(lanes.arguments(), begin, &count);
    for (const int unroll : {1, 4, 0}) {
      const std::vector<T> got = run_over(kernel, unroll, numbers, 0);
      int wrong = 0;
      for (size_t k = 0; k < numbers.size() && wrong < 8; ++k) {
        const bool is_nan = expected[k] != expected[k] && got[k] != got[k];
        if (!is_nan && std::memcmp(&expected[k], &got[k], sizeof(T)) != 0)
          ++wrong, ADD_FAILURE() << op << " " << type << " of " << numbers[k] << " and "
                                 << numbers[numbers.size() - 1 - k] << " is " << expected[k] << ", not " << got[k];
      }
    }
  }
}

TEST_F(DeviceRemainderTest, divides_with_remainders_as_the_host_does) {
  std::vector<double> doubles = numbers_of_every_kind(40'000);
  for (size_t k = 20'000; k < doubles.size(); k += 2)
    doubles[k] = std::rint(doubles[k] * 16) / 16;  // and quotients that are integers
  std::vector<float> floats(doubles.begin(), doubles.end());
  std::vector<int64_t> integers{0, -1, 1, INT64_MIN, INT64_MAX, 7};
  std::vector<uint64_t> naturals{0, 1, UINT64_MAX, uint64_t{1} << 63, 7};
  for (size_t k = 0; k < doubles.size(); ++k) {
    uint64_t bits;
    std::memcpy(&bits, &doubles[k], sizeof bits);
    bits *= 0x9e3779b97f4a7c15;
    integers.push_back(static_cast<int64_t>(bits) >> (k % 64));
    naturals.push_back(bits >> (k % 64));
  }
  for (const int64_t small : {INT64_C(0), INT64_C(-1), INT64_MIN, INT64_C(3)})
    integers.push_back(small), naturals.push_back(static_cast<uint64_t>(small));
  expect_remainders(doubles, DType::float64);
  expect_remainders(floats, DType::float32);
  expect_remainders(integers, DType::int64);
  expect_remainders(naturals, DType::uint64);
}

TEST_F(DeviceTest, takes_roots_of_floats_as_the_host_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel root 1 flags 0 {\n  buffer float32 1 read contiguous no_alias\n  buffer float32 1 write contiguous "
      "no_alias\n"
      "  %0 = index.int64 @0\n  %1 = load.float32 @0 %0\n  %2 = sqrt.float32 %1\n  store.float32 @1 %2 %0\n}\n");
  std::vector<float> numbers;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += bits % (1 << 23) < 64 ? 1 : 251) {
    const uint32_t word = static_cast<uint32_t>(bits);
    float number;
    std::memcpy(&number, &word, sizeof number);
    numbers.push_back(number);
  }
  const std::vector<float> roots = run_over(kernel, 4, numbers, 0);
  int wrong = 0;
  for (size_t k = 0; k < numbers.size() && wrong < 8; ++k)
    if (!same(std::sqrt(numbers[k]), roots[k]))
      ++wrong, ADD_FAILURE() << "the root of " << numbers[k] << " is not " << roots[k];
}

// Few lanes or few rows, with an operand that is contiguous along the other axis.
TEST_F(DeviceTest, transposes_strips_as_the_interpreter_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel turn 3 flags 1 {\n  buffer float64 3 read strided no_alias\n  buffer float64 3 read strided no_alias\n"
      "  buffer float64 3 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = index.int64 "
      "@2\n"
      "  %3 = load.float64 @0 %0 %1 %2\n  %4 = load.float64 @1 %0 %1 %2\n  %5 = div.float64 %3 %4\n  check.float64 @0 "
      "divide %5 %3 %4\n"
      "  store.float64 @2 %5 %0 %1 %2\n}\n");
  for (const auto [rows, lanes] :
       {std::pair<int64_t, int64_t>{1000, 10}, {700, 2}, {257, 15}, {3, 900}, {13, 256}, {10, 2048}}) {
    const int64_t planes = 3, count = planes * rows * lanes;
    std::vector<double> numbers = numbers_of_every_kind(static_cast<size_t>(count)), expected(numbers.size()),
                        got(numbers.size());
    ::tessera::codegen::Binding binding({planes, rows, lanes});
    const Dims turned{8 * rows * lanes, 8, 8 * rows}, flat{8 * rows * lanes, 8 * lanes, 8};
    const std::vector<int64_t> transposed{8 * rows * lanes, 8, 8 * rows}, plain{8 * rows * lanes, 8 * lanes, 8};
    binding.add(numbers.data(), {planes, rows, lanes}, transposed);
    binding.add(numbers.data(), {planes, rows, lanes}, plain);
    binding.add(expected.data(), {planes, rows, lanes}, plain);
    const ir::KernelArguments& arguments = binding.arguments();
    const int64_t begin[] = {0, 0, 0}, end[] = {planes, rows, lanes};
    binding.flags = std::vector<uint32_t>(1);
    ir::Program(kernel).run(binding.arguments(), begin, end);
    const mapping::Operands operands{.extents = {planes, rows, lanes}, .strides = {turned, flat, flat}};
    const mapping::Turned first{.axis = 1, .buffers = {true, false, false}};
    const mapping::Mapped mapped = mapping::write_strips(kernel, operands, {}, first, lanes < rows);
    const auto program = load(mapped);
    uint32_t events = 0;
    const Ref<Buffer> x = copy_in(numbers.data(), 8 * numbers.size()), y = copy_in(got.data(), 8 * got.size()),
                      flags = copy_in(&events, 4);
    const char* buffers[] = {x->data(), x->data(), y->data()};
    const std::vector<char> block = pack(kernel, arguments, begin, end, buffers, flags->data());
    launch(*program, mapped, kernel, block);
    copy_out(got.data(), y, 8 * got.size());
    copy_out(&events, flags, 4);
    EXPECT_EQ(events, binding.flags[0]);
    for (size_t k = 0; k < got.size(); ++k)
      ASSERT_TRUE(same(got[k], expected[k])) << rows << " x " << lanes << " at " << k;
  }
}

}  // namespace
}  // namespace tessera::codegen
