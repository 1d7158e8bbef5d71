// Lanes of one or two bytes on a GPU against the interpreter.
#include "tessera/codegen/device_test.h"

#include <array>
#include <random>

#include "tessera/ir/interpreter.h"
#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/narrow.h"

namespace tessera::codegen {
namespace {

/// A kernel over elements of one or two bytes: views of one array, three scalars, a chain of random operations.
ir::Kernel narrow_kernel(std::mt19937_64& random, int size, size_t views) {
  const std::array types = size == 1 ? std::array{DType::int8, DType::uint8} : std::array{DType::int16, DType::uint16};
  const auto pick = [&](size_t n) { return random() % n; };
  ir::Builder b(2, "narrow");
  const DType type = types[pick(2)];
  for (size_t k = 0; k < views; ++k) b.add_buffer({.dtype = type, .ndim = 2, .inner = ir::InnerStride::contiguous});
  const uint32_t out = b.add_buffer(
      {.dtype = type, .ndim = 2, .readable = false, .writable = true, .inner = ir::InnerStride::contiguous});
  std::vector<ir::Value> scalars, values;
  for (int k = 0; k < 3; ++k) scalars.push_back(b.scalar(b.add_scalar(type)));
  const ir::Value at[] = {b.index(0), b.index(1)};
  for (uint32_t k = 0; k < views; ++k) values.push_back(b.load(k, at));
  const auto any = [&] {
    return pick(6) == 0 ? scalars[pick(3)]
                        : values[values.size() - 1 - std::min(pick(values.size()), pick(values.size()))];
  };
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
        constexpr ir::Opcode divisions[] = {ir::Opcode::floor_div, ir::Opcode::floor_div, ir::Opcode::floor_mod,
                                            ir::Opcode::div};
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
    std::vector<char> in(static_cast<size_t>((rows + 3) * pitch * size)),
        out(static_cast<size_t>(((rows + 1) * pitch + 16) * size), 7), got = out;
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
    for (const DeviceMapping& mapping :
         {DeviceMapping{.capability = device->facts().capability, .threads = 4, .narrow = size, .unroll = 4},
          DeviceMapping{.capability = device->facts().capability,
                        .threads = 8,
                        .disjoint = true,
                        .narrow = size,
                        .unroll = 16}}) {
      const auto program = device->load(compiler->compile_ptx(kernel, mapping), "tessera_kernel");
      const Ref<Buffer> a = copy_in(in.data(), in.size()), c = copy_in(got.data(), got.size());
      const Ref<Buffer> flags = copy_in(no_flags.data(), 4 * no_flags.size());
      std::vector<const char*> buffers;
      for (const int64_t offset : offsets) buffers.push_back(a->data() + offset);
      buffers.push_back(c->data() + place);
      const runtime::Grid grid{{2, 2, 1}, {static_cast<uint32_t>(mapping.threads), 2, 1}};
      launch(*program, grid, pack(kernel, arguments, begin, end, buffers, flags->data()), true);
      std::vector<char> result(out.size());
      std::vector<uint32_t> events(64);
      copy_out(result.data(), c, result.size());
      copy_out(events.data(), flags, 4 * events.size());
      ASSERT_EQ(result, out) << "seed " << seed << " copies " << mapping.unroll << "\n" << ir::print(kernel);
      ASSERT_EQ(events, expected) << "seed " << seed << " copies " << mapping.unroll << "\n" << ir::print(kernel);
    }
  }
  EXPECT_GT(by_word, 60);
}

}  // namespace
}  // namespace tessera::codegen
