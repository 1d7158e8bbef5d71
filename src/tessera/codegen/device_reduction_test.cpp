// Reductions on a GPU compared with the interpreter.
#include "tessera/codegen/device_test.h"

#include <cmath>

#include "tessera/ir/interpreter.h"
#include "tessera/ir/opcode.h"

namespace tessera::codegen {
namespace {

/// out = the reduction of a over its last axis; each element passes through some arithmetic.
ir::Kernel reduction_kernel(DType dtype, ir::ReduceKind kind, ir::ReduceOrder order) {
  ir::Builder b(1, "reduction");
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

TEST_F(DeviceTest, reduces_in_teams_as_one_thread_does) {
  constexpr int64_t rows = 3;
  constexpr int64_t lengths[] = {0,    1,    7,    8,    9,    63,   64,    65,    100,   127,  128,
                                 129,  136,  200,  255,  256,  257,  264,   1000,  1024,  1031, 2055,
                                 4096, 5000, 8185, 8191, 8192, 8193, 20000, 33000, 100000};
  for (DType dtype : {DType::float64, DType::float32, DType::int32, DType::boolean}) {
    for (auto [kind, order] : {std::pair{ir::ReduceKind::add, ir::ReduceOrder::pairwise},
                               {ir::ReduceKind::add, ir::ReduceOrder::pairwise_complex},
                               {ir::ReduceKind::max, ir::ReduceOrder::pairwise}}) {
      if (!is_floating(dtype) && order != ir::ReduceOrder::pairwise) continue;
      if (is_boolean(dtype) && kind == ir::ReduceKind::add) continue;
      const ir::Kernel kernel = reduction_kernel(dtype, kind, order);
      const ir::Program interpreter(kernel);
      for (int team : {1, 32, 128, 512}) {
        const DeviceMapping mapping{.capability = device->facts().capability, .team = team};
        const auto program = device->load(compiler->compile_ptx(kernel, mapping), "tessera_kernel");
        for (int64_t length : lengths) {
          const int64_t item = itemsize(dtype);
          std::vector<char> in(static_cast<size_t>(rows * length * item)), out(64), got(64);
          uint64_t state = 88172645463325252ull + static_cast<uint64_t>(length);
          for (int64_t k = 0; k < rows * length; ++k) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            const double value = static_cast<double>(static_cast<int64_t>(state)) / 9e18 *
                                 std::pow(10.0, static_cast<double>(state % 7));
            const Scalar scalar = is_boolean(dtype) ? Scalar::of_bool(state % 50 == 0)
                                                    : Scalar::of_float(DType::float64, value).cast_to(dtype);
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
              << name(dtype) << " " << ir::name(kind) << " " << ir::name(order) << " team " << team << " length "
              << length;
        }
      }
    }
  }
}

/// Every mapping and grid gives the same result, with zeros of both signs, infinities and NaN among the elements.
TEST_F(DeviceTest, reduces_chunks_as_one_thread_does) {
  constexpr int64_t most = 30 * 8192 + 5000;
  const int capability = device->facts().capability;
  for (DType dtype : {DType::float64, DType::float32, DType::int64}) {
    for (ir::ReduceKind kind : {ir::ReduceKind::add, ir::ReduceKind::max, ir::ReduceKind::min, ir::ReduceKind::mul}) {
      const ir::Kernel kernel = chunk_reduction_kernel(dtype, kind);
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
        DeviceMapping mapping;
        uint32_t blocks;
      };
      std::vector<Case> cases;
      for (uint32_t blocks : {1u, 3u, 31u, 40u})
        cases.push_back({{.capability = capability, .team = 512, .double_buffered = 2}, blocks});
      for (int team : {32, 128, 512})
        cases.push_back({{.capability = capability, .team = team, .fast_compile = true}, 4});
      cases.push_back({{.capability = capability, .team = 128}, 7});
      for (const Case& c : cases) {
        const auto program = device->load(compiler->compile_ptx(kernel, c.mapping), "tessera_kernel");
        for (int64_t length : {int64_t{1}, int64_t{100}, int64_t{8192}, int64_t{8193}, 3 * int64_t{8192},
                               30 * int64_t{8192} + 1, most}) {
          const int64_t lanes = (length + 8191) / 8192;
          std::vector<char> out(static_cast<size_t>(lanes * item)), got(out.size());
          ::tessera::codegen::Binding binding({lanes});
          binding.add(in.data(), {length}, item).add(out.data(), {lanes}, item);
          const int64_t begin[] = {0}, end[] = {lanes};
          interpreter.run(binding.arguments(), begin, end);
          const Ref<Buffer> a = copy_in(in.data(), static_cast<size_t>(length * item)),
                            b = copy_in(got.data(), got.size());
          const char* buffers[] = {a->data(), b->data()};
          launch(*program, {{c.blocks, 1, 1}, {static_cast<uint32_t>(c.mapping.team), 1, 1}},
                 pack(kernel, binding.arguments(), begin, end, buffers, nullptr), true);
          copy_out(got.data(), b, got.size());
          for (int64_t k = 0; k < lanes; ++k) {
            const auto is_nan = [&](const std::vector<char>& bytes) {
              Scalar scalar = Scalar::of_float(DType::float64, 0).cast_to(dtype);
              std::memcpy(scalar.bytes, bytes.data() + k * item, static_cast<size_t>(item));
              return std::isnan(scalar.as_double());
            };
            const bool both_nan = is_nan(out) && is_nan(got);
            ASSERT_TRUE(both_nan ||
                        std::memcmp(out.data() + k * item, got.data() + k * item, static_cast<size_t>(item)) == 0)
                << name(dtype) << " " << ir::name(kind) << " team " << c.mapping.team << " fast-compile "
                << c.mapping.fast_compile << " blocks " << c.blocks << " length " << length << " chunk " << k;
          }
        }
      }
    }
  }
}

/// Every mapping, with elements aligned so that one access reads both parts and with others.
TEST_F(DeviceTest, reduces_complex_numbers_as_the_interpreter_does) {
  const int capability = device->facts().capability;
  struct Case {
    ir::Kernel kernel;
    std::vector<DeviceMapping> mappings;
    std::vector<int64_t> shape;
    int64_t lanes;
  };
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const int64_t item = itemsize(dtype), part = item / 2;
    const ir::Kernel rows = row_sum_kernel(dtype, ir::ReduceOrder::pairwise, false), columns = column_sum_kernel(dtype),
                     products = column_product_kernel(dtype);
    const ir::Kernel chunks = chunk_reduction_kernel(dtype, ir::ReduceKind::add);
    const std::vector<DeviceMapping> alone{{.capability = capability},
                                           {.capability = capability, .fast_compile = true}};
    std::vector<DeviceMapping> teams = alone,
                               double_buffered{{.capability = capability, .team = 512, .double_buffered = 3}};
    for (int team : {32, 128, 512})
      for (bool fast_compile : {false, true})
        teams.push_back({.capability = capability, .team = team, .fast_compile = fast_compile});
    std::vector<Case> cases;
    for (int64_t length : {0, 1, 3, 31, 64, 65, 200, 1000, 8192, 20000}) {
      cases.push_back({rows, teams, {5, length}, 5});
      cases.push_back({columns, alone, {length, 5}, 5});
    }
    for (int64_t length : {1, 100, 8192, 8193, 9 * 8192, 20 * 8192 + 100})
      cases.push_back({chunks, double_buffered, {length}, (length + 8191) / 8192});
    for (int64_t length : {0, 1, 31, 32, 70, 200}) cases.push_back({products, alone, {length, 5}, 5});
    for (const Case& c : cases) {
      int64_t elements = 1;
      for (int64_t extent : c.shape) elements *= extent;
      for (int64_t shift : {int64_t{0}, part}) {
        std::vector<char> in(static_cast<size_t>(elements * item + part)), out(static_cast<size_t>(c.lanes * item)),
            got(out.size());
        uint64_t state = 88172645463325252ull;
        for (size_t k = 0; k < in.size() / static_cast<size_t>(part); ++k) {
          state ^= state << 13, state ^= state >> 7, state ^= state << 17;
          const double drawn = static_cast<double>(static_cast<int64_t>(state)),
                       value = c.kernel.name == products.name ? 1 + drawn / 1e20 : drawn / 1e17;
          const Scalar scalar = Scalar::of_float(DType::float64, value).cast_to(real_dtype(dtype));
          std::memcpy(in.data() + k * static_cast<size_t>(part), scalar.bytes, static_cast<size_t>(part));
        }
        ::tessera::codegen::Binding binding({c.lanes});
        binding.add(in.data() + shift, c.shape, item).add(out.data(), {c.lanes}, item);
        const int64_t begin[] = {0}, end[] = {c.lanes};
        ir::Program(c.kernel).run(binding.arguments(), begin, end);
        const Ref<Buffer> a = copy_in(in.data(), in.size()), b = copy_in(got.data(), got.size());
        const char* buffers[] = {a->data() + shift, b->data()};
        for (const DeviceMapping& mapping : c.mappings) {
          const auto program = device->load(compiler->compile_ptx(c.kernel, mapping), "tessera_kernel");
          launch(*program, {{2, 1, 1}, {static_cast<uint32_t>(std::max(mapping.team, 32)), 1, 1}},
                 pack(c.kernel, binding.arguments(), begin, end, buffers, nullptr), true);
          copy_out(got.data(), b, got.size());
          ASSERT_EQ(std::memcmp(got.data(), out.data(), got.size()), 0)
              << c.kernel.name << " " << name(dtype) << " of " << elements << " shift " << shift << " team "
              << mapping.team << " fast-compile " << mapping.fast_compile << " double-buffered "
              << mapping.double_buffered;
        }
      }
    }
  }
}

/// Sums of rows and, in the last block of the launch, the sum of these.
TEST_F(DeviceTest, computes_an_epilogue_lane_in_the_same_launch) {
  constexpr int64_t rows = 700, length = 1000;
  const ir::Kernel first = row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, true);
  const auto then =
      std::make_shared<const ir::Kernel>(row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false));
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
  const Ref<Buffer> a = copy_in(in.data(), 8 * in.size()), partial = device->allocate(8 * rows),
                    out = device->allocate(8), ticket = copy_in(&zero, 4);
  const char *of_first[] = {a->data(), partial->data()}, *of_then[] = {partial->data(), out->data()},
             *counter = ticket->data();
  for (int team : {64, 128, 512}) {
    const DeviceMapping mapping{.capability = device->facts().capability, .team = team, .epilogue = {{then}}};
    const auto program = device->load(compiler->compile_ptx(first, mapping), "tessera_kernel");
    std::vector<char> block = pack(first, lanes.arguments(), begin, end, of_first, nullptr);
    const std::vector<char> next = pack(*then, join.arguments(), begin, one, of_then, nullptr);
    block.insert(block.end(), reinterpret_cast<const char*>(&counter), reinterpret_cast<const char*>(&counter + 1));
    block.insert(block.end(), next.begin(), next.end());
    for (uint32_t blocks : {1u, 13u, 700u, 700u, 1000u}) {
      device->stream().fill_zero(partial->data(), 8 * rows);
      launch(*program, {{blocks, 1, 1}, {static_cast<uint32_t>(team), 1, 1}}, block, true);
      copy_out(&got, out, 8);
      ASSERT_EQ(std::memcmp(&got, &total, 8), 0)
          << got << " for " << total << ", team " << team << ", blocks " << blocks;
    }
  }
}

}  // namespace
}  // namespace tessera::codegen
