// Kernels on a GPU against the interpreter, in every form they have; skipped where the driver or a device is missing.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/ir/interpreter.h"
#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/narrow.h"
#include "tessera/runtime/device.h"

namespace tessera::codegen {
namespace {

using runtime::Buffer;
using runtime::Device;

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (runtime::device_count() == 0) GTEST_SKIP() << runtime::device_problem();
    device = &runtime::device(0);
  }
  Ref<Buffer> copy_in(const void* data, size_t nbytes) {
    Ref<Buffer> buffer = device->allocate(nbytes);
    device->stream().copy_in(buffer->data(), static_cast<const char*>(data), nbytes);
    return buffer;
  }
  void copy_out(void* data, const Ref<Buffer>& buffer, size_t nbytes) {
    device->stream().copy_out(static_cast<char*>(data), buffer->data(), nbytes);
  }
  void launch(const runtime::Program& program, const runtime::Grid& grid, const std::vector<char>& block, bool by_value) {
    if (by_value) return device->stream().launch(program, grid, block);
    const Ref<Buffer> copy = copy_in(block.data(), block.size());
    const char* address = copy->data();
    device->stream().launch(program, grid, std::span(reinterpret_cast<const char*>(&address), sizeof address));
  }

  template <class T>
  std::vector<T> run_over(const ir::Kernel& kernel, const DeviceForm& form, const std::vector<T>& in, double scalar);

  Device* device = nullptr;
  std::unique_ptr<Compiler> compiler = open_compiler();
};

/// The parameter block for one box.
std::vector<char> pack(const ir::Kernel& kernel, const ir::KernelArguments& arguments, const int64_t* begin,
                       const int64_t* end, std::span<const char* const> buffers, const char* flags) {
  const DeviceParameters at(kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const void* from, int64_t bytes) {
    std::memcpy(block.data() + offset, from, static_cast<size_t>(bytes));
  };
  put(at.flags, &flags, 8);
  put(at.begin, begin, 8 * kernel.ndim);
  put(at.end, end, 8 * kernel.ndim);
  put(at.extents, arguments.extents, 8 * kernel.ndim);
  put(at.buffers, buffers.data(), at.strides - at.buffers);
  put(at.strides, arguments.strides, at.dimensions - at.strides);
  put(at.dimensions, arguments.dimensions, at.scalars - at.dimensions);
  put(at.scalars, arguments.scalars, at.size - at.scalars);
  return block;
}

struct Variant {
  DeviceForm form;
  runtime::Grid grid;
};

/// Every form a kernel can take, with grids smaller than most boxes, so that their strides are walked too.
std::vector<Variant> variants(const RandomKernel& random, int capability) {
  const ir::Kernel& kernel = random.kernel();
  const bool disjoint = random.is_disjoint();
  const uint32_t rows = kernel.ndim > 1 ? 3 : 1;
  DeviceForm form{.capability = capability};
  std::vector<Variant> list{{form, {{2, rows, 1}, {16, 1, 1}}}};
  const bool has_arrays = !kernel.arrays.empty();
  if (rows > 1 && !has_arrays) list.push_back({form, {{2, rows, 1}, {8, 4, 1}}});
  const Dims many{1 << 24};
  if (engine::has_lean_form(kernel)) list.push_back({{.capability = capability, .lean = true}, {{2, rows, 1}, {16, 1, 1}}});
  if (engine::choose_form(kernel, many, many[0], capability).copies > 1) {
    for (auto [width, copies] : {std::pair{1, 4}, {2, 4}, {4, 8}, {16, 16}}) {
      form.width = width;
      form.copies = copies;
      list.push_back({form, {{1, rows, 1}, {2, 1, 1}}});
    }
    form = {.capability = capability, .copies = 4, .threads = 4, .disjoint = disjoint};
    list.push_back({form, {{2, rows, 1}, {4, 1, 1}}});
    form = {.capability = capability, .disjoint = disjoint};
    if (rows > 1) {
      form.flat = static_cast<int>(random.extents().back());
      list.push_back({form, {{2, kernel.ndim > 2 ? 3u : 1u, 1}, {16, 1, 1}}});
      form.copies = form.threads = 4;
      list.push_back({form, {{2, kernel.ndim > 2 ? 3u : 1u, 1}, {4, 1, 1}}});
    }
    form = {.capability = capability};
    int64_t bytes = 0;
    for (size_t k = 0; k < kernel.buffers.size() && kernel.ndim > 1; ++k) {
      const int64_t item = itemsize(kernel.buffers[k].dtype);
      if (kernel.buffers[k].writable || bytes + item > 32) continue;
      form.crossed |= 1u << k;
      bytes += item;
    }
    form.disjoint = disjoint;
    if (form.crossed && engine::choose_form(kernel, many, many[0], capability).copies > 1) list.push_back({form, {{2, 3, 1}, {32, 8, 1}}});
  }
  form = {.capability = capability};
  const Dims few{100};
  if (engine::choose_form(kernel, few, 1 << 24, capability).team > 1) {
    for (int team : {32, 128, 512}) {
      form.team = team;
      list.push_back({form, {{2, rows, 1}, {static_cast<uint32_t>(team), team == 32 ? 3u : 1u, 1}}});
    }
    form = {.capability = capability, .threads = 32, .slices = 4};
    list.push_back({form, {{2, rows, 1}, {32, 4, 1}}});
  }
  return list;
}

TEST_F(DeviceTest, gives_the_interpreters_bits) {
  const char* text = std::getenv("TESSERA_KERNELS");
  const uint64_t count = text ? static_cast<uint64_t>(std::atoll(text)) : 100;
  const char* first = std::getenv("TESSERA_SEED");
  const uint64_t start = first ? static_cast<uint64_t>(std::atoll(first)) : 0;
  int wrong = 0, runs = 0;
  for (uint64_t seed = start; seed < start + count; ++seed) {
    const RandomKernel random(seed);
    const ir::Kernel& kernel = random.kernel();
    const ir::Program interpreter(kernel);
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { interpreter.run(arguments, begin, end); }, false);
    for (const Variant& variant : variants(random, device->facts().capability)) {
      ++runs;
      const auto program = device->load(compiler->compile_ptx(kernel, variant.form), "tessera_kernel");
      const auto execute = [&](auto& arguments, auto* begin, auto* end, std::span<std::vector<char>> memory) {
        std::vector<Ref<Buffer>> allocations;
        std::vector<const char*> buffers;
        for (const std::vector<char>& bytes : memory) allocations.push_back(copy_in(bytes.data(), bytes.size()));
        for (size_t k = 0; k < memory.size(); ++k) {
          // A result may lie in an operand's memory.
          size_t home = 0;
          while (arguments.buffers[k] < memory[home].data() ||
                 arguments.buffers[k] >= memory[home].data() + memory[home].size())
            ++home;
          buffers.push_back(allocations[home]->data() + (arguments.buffers[k] - memory[home].data()));
        }
        const size_t flag_bytes = 4 * kernel.flag_slots;
        const Ref<Buffer> flags = copy_in(arguments.flags, flag_bytes);
        launch(*program, variant.grid, pack(kernel, arguments, begin, end, buffers, flags->data()),
               DeviceParameters(kernel).by_value());
        for (size_t k = 0; k < memory.size(); ++k) copy_out(memory[k].data(), allocations[k], memory[k].size());
        copy_out(arguments.flags, flags, flag_bytes);
      };
      const std::string difference = random.difference(random.run(execute, seed % 2 && variant.form.flat == 0), expected);
      const DeviceForm& form = variant.form;
      EXPECT_EQ(difference, "") << "seed " << seed << " width " << form.width << " copies " << form.copies << " team "
                                << form.team << "\n" << (wrong < 2 ? ir::print(kernel) : "");
      if (!difference.empty() && ++wrong == 12) return;
    }
  }
  std::printf("%d runs of %d kernels\n", runs, static_cast<int>(count));
}

/// Numbers of every kind: zeros, ones next to the least normal one and to infinity, drawn exponents and drawn bits.
std::vector<double> numbers_of_every_kind(size_t count) {
  std::vector<double> numbers{0.0, -0.0, 1.0, -1.0, 3.0, 0.1, 5e-324, -5e-324, 2.2250738585072009e-308, 2.2250738585072014e-308,
                              1e-300, -1e-292, 1e300, 1.7976931348623157e308, 8.98846567431158e307, HUGE_VAL, -HUGE_VAL, std::nan("")};
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
      "  buffer float64 2 write contiguous\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = load.float64 @0 %0 %1\n"
      "  %3 = load.float64 @1 %0 %1\n  %4 = div.float64 %2 %3\n  check.float64 @0 divide %4 %2 %3\n"
      "  store.float64 @2 %4 %0 %1\n}\n");
  constexpr int64_t rows = 600, lanes = 4001;
  const std::vector<double> a = numbers_of_every_kind(lanes), b = numbers_of_every_kind(rows);
  for (const int copies : {1, 4}) {
    for (const bool disjoint : {false, true}) {
      const DeviceForm form{.capability = device->facts().capability, .copies = copies, .disjoint = disjoint};
      const auto program = device->load(compiler->compile_ptx(kernel, form), "tessera_kernel");
      std::vector<double> got(rows * lanes);
      const Ref<Buffer> x = copy_in(a.data(), 8 * a.size()), y = copy_in(b.data(), 8 * b.size()), z = copy_in(got.data(), 8 * got.size());
      uint32_t events = 0;
      const Ref<Buffer> flags = copy_in(&events, 4);
      const int64_t strides[] = {0, 8, 8, 0, 8 * lanes, 8}, extents[] = {rows, lanes}, dimensions[] = {rows, lanes, rows, lanes, rows, lanes}, begin[] = {0, 0};
      const ir::KernelArguments arguments{.buffers = nullptr, .strides = strides, .dimensions = dimensions, .scalars = nullptr, .extents = extents, .flags = nullptr};
      const char* buffers[] = {x->data(), y->data(), z->data()};
      launch(*program, {{2, 40, 1}, {64, 2, 1}}, pack(kernel, arguments, begin, extents, buffers, flags->data()), true);
      copy_out(got.data(), z, 8 * got.size());
      copy_out(&events, flags, 4);
      EXPECT_EQ(events, static_cast<uint32_t>(ir::event_divide | ir::event_overflow | ir::event_invalid));
      int wrong = 0;
      for (int64_t row = 0; row < rows && wrong < 8; ++row) {
        for (int64_t lane = 0; lane < lanes && wrong < 8; ++lane) {
          const double quotient = a[lane] / b[row], found = got[row * lanes + lane];
          const bool same = std::isnan(quotient) ? std::isnan(found) : std::memcmp(&quotient, &found, 8) == 0;
          if (!same) ++wrong, ADD_FAILURE() << a[lane] << " / " << b[row] << " gave " << found << " with " << copies << " lanes a thread";
        }
      }
    }
  }
}

/// One array of doubles or floats through a kernel over 1-D operand 0 and result 1.
template <class T>
std::vector<T> DeviceTest::run_over(const ir::Kernel& kernel, const DeviceForm& form, const std::vector<T>& in, double scalar) {
  const auto program = device->load(compiler->compile_ptx(kernel, form), "tessera_kernel");
  const int64_t item = sizeof(T), count = static_cast<int64_t>(in.size()), begin = 0, strides[] = {item, item}, dimensions[] = {count, count};
  const Ref<Buffer> x = copy_in(in.data(), in.size() * sizeof(T)), y = device->allocate(in.size() * sizeof(T)), flags = device->allocate(64);
  const char* buffers[] = {x->data(), y->data()};
  const double scalars[] = {scalar, 0};
  const ir::KernelArguments arguments{.buffers = nullptr, .strides = strides, .dimensions = dimensions, .scalars = reinterpret_cast<const char*>(scalars), .extents = &count, .flags = nullptr};
  launch(*program, {{40, 1, 1}, {64, 1, 1}}, pack(kernel, arguments, &begin, &count, buffers, flags->data()), true);
  std::vector<T> out(in.size());
  copy_out(out.data(), y, out.size() * sizeof(T));
  return out;
}

template <class T>
bool same(T a, T b) { return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, sizeof a) == 0; }

TEST_F(DeviceTest, divides_by_a_scalar_as_the_host_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel divide 1 flags 0 {\n  buffer float64 1 read contiguous no_alias\n  buffer float64 1 write contiguous no_alias\n"
      "  scalar float64\n  %0 = index.int64 @0\n  %1 = load.float64 @0 %0\n  %2 = scalar.float64 @0\n  %3 = div.float64 %1 %2\n"
      "  store.float64 @1 %3 %0\n}\n");
  const std::vector<double> numerators = numbers_of_every_kind(20'000);
  for (const int copies : {1, 4}) {
    int wrong = 0;
    for (const double by : numbers_of_every_kind(200)) {
      const std::vector<double> quotients = run_over(kernel, {.capability = device->facts().capability, .copies = copies, .disjoint = true}, numerators, by);
      for (size_t k = 0; k < numerators.size() && wrong < 8; ++k)
        if (!same(numerators[k] / by, quotients[k])) ++wrong, ADD_FAILURE() << numerators[k] << " / " << by << " gave " << quotients[k];
    }
  }
}

TEST_F(DeviceTest, takes_roots_of_floats_as_the_host_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel root 1 flags 0 {\n  buffer float32 1 read contiguous no_alias\n  buffer float32 1 write contiguous no_alias\n"
      "  %0 = index.int64 @0\n  %1 = load.float32 @0 %0\n  %2 = sqrt.float32 %1\n  store.float32 @1 %2 %0\n}\n");
  std::vector<float> numbers;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += bits % (1 << 23) < 64 ? 1 : 251) {
    const uint32_t word = static_cast<uint32_t>(bits);
    float number;
    std::memcpy(&number, &word, sizeof number);
    numbers.push_back(number);
  }
  const std::vector<float> roots = run_over(kernel, {.capability = device->facts().capability, .copies = 4, .disjoint = true}, numbers, 0);
  int wrong = 0;
  for (size_t k = 0; k < numbers.size() && wrong < 8; ++k)
    if (!same(std::sqrt(numbers[k]), roots[k])) ++wrong, ADD_FAILURE() << "the root of " << numbers[k] << " is not " << roots[k];
}

// Rows of few lanes, and few rows, whose operand runs across them.
TEST_F(DeviceTest, turns_strips_as_the_interpreter_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel turn 3 flags 1 {\n  buffer float64 3 read strided no_alias\n  buffer float64 3 read strided no_alias\n"
      "  buffer float64 3 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = index.int64 @2\n"
      "  %3 = load.float64 @0 %0 %1 %2\n  %4 = load.float64 @1 %0 %1 %2\n  %5 = div.float64 %3 %4\n  check.float64 @0 divide %5 %3 %4\n"
      "  store.float64 @2 %5 %0 %1 %2\n}\n");
  for (const auto [rows, lanes] : {std::pair<int64_t, int64_t>{1000, 10}, {700, 2}, {257, 15}, {3, 900}, {13, 256}, {10, 2048}}) {
    const int64_t planes = 3, count = planes * rows * lanes;
    std::vector<double> numbers = numbers_of_every_kind(static_cast<size_t>(count)), expected(numbers.size()), got(numbers.size());
    ::tessera::codegen::Binding binding({planes, rows, lanes});
    const std::vector<int64_t> turned{8 * rows * lanes, 8, 8 * rows}, plain{8 * rows * lanes, 8 * lanes, 8};
    binding.add(numbers.data(), {planes, rows, lanes}, turned);
    binding.add(numbers.data(), {planes, rows, lanes}, plain);
    binding.add(expected.data(), {planes, rows, lanes}, plain);
    const ir::KernelArguments& arguments = binding.arguments();
    const int64_t begin[] = {0, 0, 0}, end[] = {planes, rows, lanes};
    binding.flags = std::vector<uint32_t>(1);
    ir::Program(kernel).run(binding.arguments(), begin, end);
    const DeviceForm form{.capability = device->facts().capability, .disjoint = true, .crossed = 1, .cross_axis = 1,
                          .short_axis = lanes < rows ? 2 : 1, .short_extent = static_cast<int>(std::min(lanes, rows))};
    const auto program = device->load(compiler->compile_ptx(kernel, form), "tessera_kernel");
    uint32_t events = 0;
    const Ref<Buffer> x = copy_in(numbers.data(), 8 * numbers.size()), y = copy_in(got.data(), 8 * got.size()), flags = copy_in(&events, 4);
    const char* buffers[] = {x->data(), x->data(), y->data()};
    launch(*program, {{2, 2, 1}, {256, 1, 1}}, pack(kernel, arguments, begin, end, buffers, flags->data()), true);
    copy_out(got.data(), y, 8 * got.size());
    copy_out(&events, flags, 4);
    EXPECT_EQ(events, binding.flags[0]);
    for (size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(same(got[k], expected[k])) << rows << " x " << lanes << " at " << k;
  }
}

/// A kernel over elements of one or two bytes: the views of one array, three scalars, a chain of random operations.
ir::Kernel narrow_kernel(std::mt19937_64& random, int size, size_t views) {
  const std::array types = size == 1 ? std::array{DType::int8, DType::uint8} : std::array{DType::int16, DType::uint16};
  const auto pick = [&](size_t n) { return random() % n; };
  ir::Builder b(2, "narrow");
  const DType type = types[pick(2)];
  for (size_t k = 0; k < views; ++k) b.add_buffer({.dtype = type, .ndim = 2, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer({.dtype = type, .ndim = 2, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  std::vector<ir::Value> scalars, values;
  for (int k = 0; k < 3; ++k) scalars.push_back(b.scalar(b.add_scalar(type)));
  const ir::Value at[] = {b.index(0), b.index(1)};
  for (uint32_t k = 0; k < views; ++k) values.push_back(b.load(k, at));
  const auto any = [&] { return pick(6) == 0 ? scalars[pick(3)] : values[values.size() - 1 - std::min(pick(values.size()), pick(values.size()))]; };
  for (size_t k = 3 + pick(12); k > 0; --k) {
    const ir::Value x = any(), y = any();
    switch (pick(14)) {
      case 0:
      case 1:
      case 2: values.push_back(b.add(x, y)); break;
      case 3: values.push_back(b.sub(x, y)); break;
      case 4: values.push_back(b.neg(x)); break;
      case 5: values.push_back(b.mul(x, y)); break;
      case 6: values.push_back(b.mul(x, scalars[pick(3)])); break;
      case 7: values.push_back(b.min(x, y)); break;
      case 8: values.push_back(b.bit_xor(x, y)); break;
      case 9: values.push_back(b.select(b.lt(x, y), y, b.add(x, y))); break;
      case 10: values.push_back(b.cast(b.cast(x, types[pick(2)]), type)); break;
      default: {
        constexpr ir::Opcode divisions[] = {ir::Opcode::floor_div, ir::Opcode::floor_div, ir::Opcode::floor_mod, ir::Opcode::div};
        const ir::Value divisor = scalars[pick(3)], quotient = b.binary(divisions[pick(4)], x, divisor);
        const ir::Value operands[] = {x, divisor};
        if (pick(4)) b.check(ir::ErrorRule::integer_divide, b.add_flag_slot(), quotient, operands);
        values.push_back(quotient);
      }
    }
  }
  b.store(out, values.back(), at);
  return b.take();
}

TEST_F(DeviceTest, takes_narrow_lanes_by_the_word_wherever_rows_begin) {
  int by_word = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
    const int size = 1 + static_cast<int>(seed % 2);
    const size_t views = 1 + static_cast<size_t>(pick(4));
    const ir::Kernel kernel = narrow_kernel(random, size, views);
    if (lanes::narrow_size(kernel) != size) continue;
    ++by_word;
    const int64_t rows = 1 + pick(5), width = 1 + pick(seed % 3 ? 400 : 20), pitch = width + 3 + pick(9);
    std::vector<char> in(static_cast<size_t>((rows + 3) * pitch * size)), out(static_cast<size_t>(((rows + 1) * pitch + 16) * size), 7), got = out;
    for (char& byte : in) byte = static_cast<char>(random());
    ::tessera::codegen::Binding binding({rows, width});
    std::vector<int64_t> offsets;
    for (size_t k = 0; k < views; ++k) {
      offsets.push_back((pick(3) * pitch + pick(4)) * size);
      binding.add(in.data() + offsets.back(), {rows, width}, {pitch * size, size});
    }
    const int64_t place = pick(9) * size, out_pitch = width + pick(7);
    binding.add(out.data() + place, {rows, width}, {out_pitch * size, size});
    constexpr int64_t divisors[] = {9, 1, -1, 2, 3, 7, -7, 100, 127, -128, 128, 255, 0, 30000, -32768, -3};
    for (int k = 0; k < 3; ++k) {
      int64_t value = divisors[static_cast<size_t>(pick(seed % 5 ? 12 : 16))];
      binding.add_scalar(Scalar::of_int(DType::int64, value).cast_to(kernel.scalars[static_cast<size_t>(k)]));
    }
    const ir::KernelArguments& arguments = binding.arguments();
    const int64_t begin[] = {0, 0}, end[] = {rows, width};
    const std::vector<uint32_t> no_flags(64);
    binding.flags = no_flags;
    ir::Program(kernel).run(binding.arguments(), begin, end);
    const std::vector<uint32_t> expected = binding.flags;
    for (const DeviceForm form : {DeviceForm{.capability = device->facts().capability, .copies = 4, .threads = 4, .narrow = size},
                                  DeviceForm{.capability = device->facts().capability, .copies = 16, .threads = 8, .disjoint = true, .narrow = size}}) {
      const auto program = device->load(compiler->compile_ptx(kernel, form), "tessera_kernel");
      const Ref<Buffer> a = copy_in(in.data(), in.size()), c = copy_in(got.data(), got.size());
      const Ref<Buffer> flags = copy_in(no_flags.data(), 4 * no_flags.size());
      std::vector<const char*> buffers;
      for (const int64_t offset : offsets) buffers.push_back(a->data() + offset);
      buffers.push_back(c->data() + place);
      const runtime::Grid grid{{2, 2, 1}, {static_cast<uint32_t>(form.threads), 2, 1}};
      launch(*program, grid, pack(kernel, arguments, begin, end, buffers, flags->data()), true);
      std::vector<char> result(out.size());
      std::vector<uint32_t> events(64);
      copy_out(result.data(), c, result.size());
      copy_out(events.data(), flags, 4 * events.size());
      ASSERT_EQ(result, out) << "seed " << seed << " copies " << form.copies << "\n" << ir::print(kernel);
      ASSERT_EQ(events, expected) << "seed " << seed << " copies " << form.copies << "\n" << ir::print(kernel);
    }
  }
  EXPECT_GT(by_word, 60);
}

/// out = the fold of a over its last axis, element by element through a little arithmetic.
ir::Kernel fold_kernel(DType dtype, ir::ReduceKind kind, ir::ReduceOrder order) {
  ir::Builder b(1, "fold");
  const uint32_t a = b.add_buffer({.dtype = dtype, .ndim = 2, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer({.dtype = dtype, .ndim = 1, .readable = false, .writable = true});
  const ir::Value row = b.index(0);
  const ir::Value total = b.reduce(kind, order, b.constant(DType::int64, 0), b.dimension(a, 1), [&](ir::Value k) {
    const ir::Value at[] = {row, k};
    return b.load(a, at);
  });
  const ir::Value at[] = {row};
  b.store(out, total, at);
  return b.take();
}

TEST_F(DeviceTest, folds_in_teams_as_one_thread_does) {
  constexpr int64_t rows = 3;
  constexpr int64_t lengths[] = {0,   1,   7,    8,    9,    63,   64,   65,   100,  127,  128,  129,   136,  200,  255,  256,
                                 257, 264, 1000, 1024, 1031, 2055, 4096, 5000, 8185, 8191, 8192, 8193, 20000, 33000, 100000};
  for (DType dtype : {DType::float64, DType::float32, DType::int32, DType::boolean}) {
    for (auto [kind, order] : {std::pair{ir::ReduceKind::add, ir::ReduceOrder::pairwise},
                               {ir::ReduceKind::add, ir::ReduceOrder::pairwise_complex},
                               {ir::ReduceKind::max, ir::ReduceOrder::pairwise}}) {
      if (!is_floating(dtype) && order != ir::ReduceOrder::pairwise) continue;
      if (is_boolean(dtype) && kind == ir::ReduceKind::add) continue;
      const ir::Kernel kernel = fold_kernel(dtype, kind, order);
      const ir::Program interpreter(kernel);
      for (int team : {1, 32, 128, 512}) {
        const DeviceForm form{.capability = device->facts().capability, .team = team};
        const auto program = device->load(compiler->compile_ptx(kernel, form), "tessera_kernel");
        for (int64_t length : lengths) {
          const int64_t item = itemsize(dtype);
          std::vector<char> in(static_cast<size_t>(rows * length * item)), out(64), got(64);
          uint64_t state = 88172645463325252ull + static_cast<uint64_t>(length);
          for (int64_t k = 0; k < rows * length; ++k) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            const double value = static_cast<double>(static_cast<int64_t>(state)) / 9e18 * std::pow(10.0, static_cast<double>(state % 7));
            const Scalar scalar = is_boolean(dtype) ? Scalar::of_bool(state % 50 == 0) : Scalar::of_float(DType::float64, value).cast_to(dtype);
            std::memcpy(in.data() + k * item, scalar.bytes, static_cast<size_t>(item));
          }
          ::tessera::codegen::Binding binding({rows});
          binding.add(in.data(), {rows, length}, item).add(out.data(), {rows}, item);
          const ir::KernelArguments& arguments = binding.arguments();
          const int64_t begin[] = {0}, end[] = {rows};
          interpreter.run(arguments, begin, end);
          const Ref<Buffer> a = copy_in(in.data(), in.size()), b = copy_in(got.data(), got.size());
          const char* buffers[] = {a->data(), b->data()};
          const runtime::Grid grid{{2, 1, 1}, {static_cast<uint32_t>(team), 1, 1}};
          launch(*program, grid, pack(kernel, arguments, begin, end, buffers, nullptr), true);
          copy_out(got.data(), b, got.size());
          ASSERT_EQ(std::memcmp(got.data(), out.data(), static_cast<size_t>(rows * item)), 0)
              << name(dtype) << " " << ir::name(kind) << " " << ir::name(order) << " team " << team << " length " << length;
        }
      }
    }
  }
}

/// In any form, whatever the grid, with zeros of both signs, infinities and NaN here and there.
TEST_F(DeviceTest, folds_chunks_as_one_thread_does) {
  constexpr int64_t most = 30 * 8192 + 5000;
  const int capability = device->facts().capability;
  for (DType dtype : {DType::float64, DType::float32, DType::int64}) {
    for (ir::ReduceKind kind : {ir::ReduceKind::add, ir::ReduceKind::max, ir::ReduceKind::min, ir::ReduceKind::mul}) {
      const ir::Kernel kernel = chunk_fold_kernel(dtype, kind);
      const ir::Program interpreter(kernel);
      const int64_t item = itemsize(dtype);
      std::vector<char> in(static_cast<size_t>(most * item));
      uint64_t state = 88172645463325252ull;
      for (int64_t k = 0; k < most; ++k) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double value = 1 + static_cast<double>(static_cast<int64_t>(state)) / 1e20;
        const int64_t chunk = k / 8192;
        if (kind != ir::ReduceKind::mul && is_floating(dtype)) {
          if (chunk % 5 == 1) value = state % 3 ? -0.0 : kind == ir::ReduceKind::max ? -value : value;
          if (chunk % 5 == 2) value = state % 8191 ? -0.0 : 0.0;
          if (chunk % 5 == 3 && state % 9000 == 0) value = state % 2 ? INFINITY : -INFINITY;
          if (chunk % 5 == 4 && state % 20000 == 0) value = state % 2 ? NAN : -NAN;
        }
        const Scalar scalar = Scalar::of_float(DType::float64, value).cast_to(dtype);
        std::memcpy(in.data() + k * item, scalar.bytes, static_cast<size_t>(item));
      }
      struct Case {
        DeviceForm form;
        uint32_t blocks;
      };
      std::vector<Case> cases;
      for (uint32_t blocks : {1u, 3u, 31u, 40u}) cases.push_back({{.capability = capability, .team = 512, .ahead = 2}, blocks});
      for (int team : {32, 128, 512}) cases.push_back({{.capability = capability, .team = team, .lean = true}, 4});
      cases.push_back({{.capability = capability, .team = 128}, 7});
      for (const Case& c : cases) {
        const auto program = device->load(compiler->compile_ptx(kernel, c.form), "tessera_kernel");
        for (int64_t length : {int64_t{1}, int64_t{100}, int64_t{8192}, int64_t{8193}, 3 * int64_t{8192}, 30 * int64_t{8192} + 1, most}) {
          const int64_t lanes = (length + 8191) / 8192;
          std::vector<char> out(static_cast<size_t>(lanes * item)), got(out.size());
          ::tessera::codegen::Binding binding({lanes});
          binding.add(in.data(), {length}, item).add(out.data(), {lanes}, item);
          const int64_t begin[] = {0}, end[] = {lanes};
          interpreter.run(binding.arguments(), begin, end);
          const Ref<Buffer> a = copy_in(in.data(), static_cast<size_t>(length * item)), b = copy_in(got.data(), got.size());
          const char* buffers[] = {a->data(), b->data()};
          launch(*program, {{c.blocks, 1, 1}, {static_cast<uint32_t>(c.form.team), 1, 1}}, pack(kernel, binding.arguments(), begin, end, buffers, nullptr), true);
          copy_out(got.data(), b, got.size());
          for (int64_t k = 0; k < lanes; ++k) {
            const auto is_nan = [&](const std::vector<char>& bytes) {
              Scalar scalar = Scalar::of_float(DType::float64, 0).cast_to(dtype);
              std::memcpy(scalar.bytes, bytes.data() + k * item, static_cast<size_t>(item));
              return std::isnan(scalar.as_double());
            };
            const bool both_nan = is_nan(out) && is_nan(got);
            ASSERT_TRUE(both_nan || std::memcmp(out.data() + k * item, got.data() + k * item, static_cast<size_t>(item)) == 0)
                << name(dtype) << " " << ir::name(kind) << " team " << c.form.team << " lean " << c.form.lean << " blocks " << c.blocks << " length " << length << " chunk " << k;
          }
        }
      }
    }
  }
}

/// Sums of rows and, by the last block of the launch, the sum of these.
TEST_F(DeviceTest, computes_a_following_lane_in_the_same_launch) {
  constexpr int64_t rows = 700, length = 1000;
  const ir::Kernel first = row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, true);
  const auto then = std::make_shared<const ir::Kernel>(row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false));
  std::vector<double> in(rows * length), sums(rows);
  for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<double>(k * 2654435761u % 1000003) / 1e3 - 300;
  double total = 0, got = 0;
  const int64_t begin[] = {0}, end[] = {rows}, one[] = {1};
  ::tessera::codegen::Binding lanes({rows}), join({1});
  lanes.add(in.data(), {rows, length}, 8).add(sums.data(), {rows}, 8);
  join.add(sums.data(), {1, rows}, 8).add(&total, {1}, 8);
  ir::Program(first).run(lanes.arguments(), begin, end);
  ir::Program(*then).run(join.arguments(), begin, one);
  const uint32_t zero = 0;
  const Ref<Buffer> a = copy_in(in.data(), 8 * in.size()), partial = device->allocate(8 * rows), out = device->allocate(8), ticket = copy_in(&zero, 4);
  const char *of_first[] = {a->data(), partial->data()}, *of_then[] = {partial->data(), out->data()}, *counter = ticket->data();
  for (int team : {64, 128, 512}) {
    const DeviceForm form{.capability = device->facts().capability, .team = team, .following = {then}};
    const auto program = device->load(compiler->compile_ptx(first, form), "tessera_kernel");
    std::vector<char> block = pack(first, lanes.arguments(), begin, end, of_first, nullptr);
    const std::vector<char> next = pack(*then, join.arguments(), begin, one, of_then, nullptr);
    block.insert(block.end(), reinterpret_cast<const char*>(&counter), reinterpret_cast<const char*>(&counter + 1));
    block.insert(block.end(), next.begin(), next.end());
    for (uint32_t blocks : {1u, 13u, 700u, 700u, 1000u}) {
      device->stream().fill_zero(partial->data(), 8 * rows);
      launch(*program, {{blocks, 1, 1}, {static_cast<uint32_t>(team), 1, 1}}, block, true);
      copy_out(&got, out, 8);
      ASSERT_EQ(std::memcmp(&got, &total, 8), 0) << got << " for " << total << ", team " << team << ", blocks " << blocks;
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
