#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/base/format.h"
#include "tessera/codegen/samples/assembler.h"
#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/ir/builder.h"
#include "tessera/mapping/tests/mapped_kernels.h"

namespace tessera::codegen {
namespace {

constexpr int capabilities[] = {70, 75, 80, 86, 89, 90, 100, 120};

class Ptx : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    machine = assembled_for(GetParam());
    if (machine == 0) GTEST_SKIP() << "no ptxas on the path, or one that knows none of the capabilities";
  }
  int machine = 0;
  std::unique_ptr<Compiler> compiler = open_compiler();
};

INSTANTIATE_TEST_SUITE_P(Capabilities, Ptx, testing::ValuesIn(capabilities));

TEST_P(Ptx, of_the_sample_kernels_assembles) {
  const ir::Kernel kernels[] = {chain_kernel(DType::float64, true), stencil_kernel(DType::float32, false),
                                black_scholes_kernel(DType::float64, true),
                                row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, true),
                                column_sum_kernel(DType::float32)};
  for (const ir::Kernel& kernel : kernels)
    EXPECT_EQ(assemble(compiler->compile_ptx(kernel, {.capability = GetParam()}), machine), "") << kernel.name;
}

TEST_P(Ptx, of_drawn_kernels_assembles) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const RandomKernel random(seed + static_cast<uint64_t>(GetParam()));
    const std::string ptx = compiler->compile_ptx(random.kernel(), {.capability = GetParam()});
    ASSERT_EQ(assemble(ptx, machine), "") << seed << "\n" << ir::print(random.kernel());
  }
}

TEST_P(Ptx, of_every_form_assembles_without_spills) {
  struct Case {
    ir::Kernel kernel;
    DeviceMapping mapping;
    int most_registers;
  };
  const int sm = GetParam();
  const ir::Kernel column_max = ir::parse(
      "kernel reduction 1 flags 0 {\n  buffer float64 2 read contiguous no_alias\n  buffer float64 1 write contiguous "
      "no_alias\n"
      "  %0 = constant.int64 0\n  %1 = dimension.int64 @0.0\n  %2 = index.int64 @0\n"
      "  %3 = reduce.float64 max sequential %0 %1 {(%4:int64)\n    %5 = load.float64 @0 %4 %2\n    yield %5\n  }\n"
      "  store.float64 @1 %3 %2\n}\n");
  const auto row_sum =
      std::make_shared<const ir::Kernel>(row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false));
  const ir::Kernel chunk_sum = chunk_reduction_kernel(DType::float64, ir::ReduceKind::add),
                   chunk_max = chunk_reduction_kernel(DType::float64, ir::ReduceKind::max);
  const auto complex_rows = [](DType dtype) { return row_sum_kernel(dtype, ir::ReduceOrder::pairwise, false); };
  const Case cases[] = {
      {chunk_sum, {.capability = sm, .team = 512, .epilogue = {{row_sum}}, .double_buffered = 2}, 64},
      {chunk_max, {.capability = sm, .team = 512, .double_buffered = 2}, 64},
      {chunk_reduction_kernel(DType::complex64, ir::ReduceKind::add),
       {.capability = sm, .team = 512, .double_buffered = 3},
       64},
      {chunk_reduction_kernel(DType::complex128, ir::ReduceKind::add),
       {.capability = sm, .team = 512, .double_buffered = 3},
       128},
      {complex_rows(DType::complex64), {.capability = sm, .team = 128}, 64},
      {complex_rows(DType::complex128), {.capability = sm, .team = 128}, 128},
      {column_sum_kernel(DType::complex64), {.capability = sm}, 168},
      {column_sum_kernel(DType::complex128), {.capability = sm}, 168},
      {column_product_kernel(DType::complex64), {.capability = sm}, 128},
      {column_product_kernel(DType::complex128), {.capability = sm}, 128},
      {*row_sum, {.capability = sm, .team = 128, .epilogue = {{row_sum}}}, 80},
      {row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false), {.capability = sm, .team = 32}, 80},
      {row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false), {.capability = sm, .team = 512}, 80},
      {row_sum_kernel(DType::float32, ir::ReduceOrder::pairwise, true), {.capability = sm, .team = 512}, 80},
      // Its throughput depends on its loads in flight.
      {column_sum_kernel(DType::float64), {.capability = sm}, 128},
      {smooth_kernel(), {.capability = sm, .threads = 32, .disjoint = true, .narrow = 1, .unroll = 16}, 128},
      {column_max, {.capability = sm, .threads = 32, .slices = 8}, 80},
  };
  for (const Case& c : cases) {
    const std::string said = assemble(compiler->compile_ptx(c.kernel, c.mapping), machine, "-v");
    EXPECT_EQ(said.find("error"), std::string::npos) << said;
    EXPECT_LE(registers_of(said), c.most_registers) << c.kernel.name << "\n" << said;
    if (c.mapping.team == 1)
      EXPECT_NE(said.find(" 0 bytes spill stores"), std::string::npos) << c.kernel.name << "\n" << said;
  }
}

DeviceMapping of_grid(const mapping::Mapped& mapped, int sm) {
  return {.capability = sm,
          .threads = mapped.kernel.device.max_threads,
          .disjoint = true,
          .exact_grid = true,
          .mapped = true};
}

/// The tiles that the engine would choose for contiguous operands.
mapping::Mapped in_tiles(const ir::Kernel& kernel, const Dims& extents) {
  mapping::Operands operands{.extents = extents};
  std::optional<mapping::Mapped> mapped = mapping::map_tiles(kernel, operands, {});
  EXPECT_TRUE(mapped) << kernel.name;
  return *std::move(mapped);
}

TEST_P(Ptx, of_tiles_assembles_without_spills) {
  const ir::Kernel turn = ir::parse(
      "kernel turn 2 flags 0 {\n  buffer float64 2 read strided no_alias\n  buffer float64 2 write contiguous "
      "no_alias\n"
      "  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = load.float64 @0 %0 %1\n  store.float64 @1 %2 %0 %1\n}\n");
  const std::pair<ir::Kernel, Dims> cases[] = {
      {turn, {1000, 4}},
      {chain_kernel(DType::float32, true), {1 << 20}},
      {chain_kernel(DType::float64, true), {1 << 20}},
      {stencil_kernel(DType::float64, true), {1000, 1000}},
      {stencil_kernel(DType::float64, true, true), {1000, 1000}},
      {black_scholes_kernel(DType::float64, true), {1 << 20}},
  };
  for (const auto& [kernel, extents] : cases) {
    const mapping::Mapped mapped = in_tiles(kernel, extents);
    const std::string said = assemble(compiler->compile_ptx(mapped.kernel, of_grid(mapped, GetParam())), machine, "-v");
    EXPECT_LE(registers_of(said), 80) << kernel.name << "\n" << said;
    EXPECT_NE(said.find(" 0 bytes spill stores"), std::string::npos) << kernel.name << "\n" << said;
  }
}

/// Two blocks of 256 threads have room on a multiprocessor.
TEST_P(Ptx, of_mapped_kernels_takes_few_registers) {
  const ir::Kernel turn = ir::parse(
      "kernel turn 3 flags 1 {\n  buffer float64 3 read strided no_alias\n  buffer float64 3 read contiguous no_alias\n"
      "  buffer float64 3 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n  %2 = index.int64 "
      "@2\n  %3 = load.float64 @0 %0 %1 %2\n  %4 = load.float64 @1 %0 %1 %2\n  %5 = mul.float64 %3 %4\n"
      "  check.float64 @0 arithmetic %5 %3 %4\n  store.float64 @2 %5 %0 %1 %2\n}\n");
  for (const auto& [name, mapped] : mapping::all_mappings(turn, {4, 15, 10}, true, false)) {
    const std::string ptx = compiler->compile_ptx(mapped.kernel, of_grid(mapped, GetParam()));
    EXPECT_NE(ptx.find("ld.global.nc"), std::string::npos) << "operands are read only";
    const std::string said = assemble(ptx, machine, "-v");
    EXPECT_LE(registers_of(said), 128) << name << "\n" << said;
    EXPECT_NE(said.find(" 0 bytes spill stores"), std::string::npos) << name << "\n" << said;
  }
}

TEST_P(Ptx, of_columns_reads_each_element_once) {
  const std::vector<mapping::PlaceIn> five_points{{0}, {0, -1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {5}};
  const auto ptx_of = [&](bool checked, int rows) {
    const mapping::Mapped mapped = mapping::write_columns(stencil_kernel(DType::float64, true, checked),
                                                          {.extents = {4096, 4096}}, {}, five_points, rows);
    return compiler->compile_ptx(mapped.kernel, of_grid(mapped, GetParam()));
  };
  const std::string said = assemble(ptx_of(true, 16), machine, "-v");
  EXPECT_LE(registers_of(said), 128) << said;
  EXPECT_NE(said.find(" 0 bytes spill stores"), std::string::npos) << said;
  const std::string ptx = ptx_of(false, 8);
  int loads = 0;
  for (size_t at = ptx.find("ld.global"); at != std::string::npos; at = ptx.find("ld.global", at + 1)) ++loads;
  EXPECT_EQ(loads, 10 + 16) << "a column of eight rows and two, and their neighbours to both sides";
}

/// Checked differences of neighbouring operands, divided by a scalar, as in equations of fluid flow.
ir::Kernel differences_kernel(uint32_t operands) {
  ir::Builder b(2, "map");
  for (uint32_t k = 0; k <= operands; ++k)
    b.add_buffer({.dtype = DType::float64,
                  .ndim = 2,
                  .readable = k > 0,
                  .writable = k == 0,
                  .inner = ir::InnerStride::contiguous,
                  .strides_like = static_cast<int16_t>(k > 0 ? 0 : -1)});
  const std::vector<ir::Value> at{b.index(0), b.index(1)};
  std::vector<ir::Value> loaded;
  for (uint32_t k = 1; k <= operands; ++k) loaded.push_back(b.load(k, at));
  const auto checked = [&](ir::ErrorRule rule, ir::Value result, ir::Value x, ir::Value y) {
    const ir::Value operands_of[] = {x, y};
    b.check(rule, b.add_flag_slot(), result, operands_of);
    return result;
  };
  ir::Value total = loaded[0];
  for (size_t k = 1; k < loaded.size(); ++k) {
    const ir::Value scale = b.scalar(b.add_scalar(DType::float64)), difference = b.sub(loaded[k], loaded[k - 1]);
    checked(ir::ErrorRule::arithmetic, difference, loaded[k], loaded[k - 1]);
    const ir::Value slope = checked(ir::ErrorRule::divide, b.div(difference, scale), difference, scale);
    total = checked(ir::ErrorRule::arithmetic, b.add(total, slope), total, slope);
  }
  b.store(0, total, at);
  return b.take();
}

TEST_P(Ptx, of_a_kernel_of_many_operands_spills_little) {
  const ir::Kernel kernel = differences_kernel(13);
  const std::string said =
      assemble(compiler->compile_ptx(kernel, {.capability = GetParam(), .disjoint = true}), machine, "-v");
  const size_t end = said.find(" bytes spill stores");
  ASSERT_NE(end, std::string::npos) << said;
  EXPECT_LE(std::atoi(said.c_str() + said.rfind(' ', end - 1)), 64) << said;
}

TEST_P(Ptx, of_many_divisions_by_scalars_prepares_each_once) {
  const mapping::Mapped mapped = mapping::write_tiles(differences_kernel(10), {.extents = {1000, 1000}}, {},
                                                      {.unroll = 2, .threads = 32, .rows = 8});
  const std::string ptx = compiler->compile_ptx(mapped.kernel, of_grid(mapped, GetParam()));
  int found = 0;
  for (size_t at = ptx.find("rcp.approx"); at != std::string::npos; at = ptx.find("rcp.approx", at + 1)) ++found;
  EXPECT_EQ(found, 9);
  const std::string said = assemble(ptx, machine, "-v");
  EXPECT_LE(registers_of(said), 128) << said;
}

/// Loads precede square roots, which branch, in the first pass over a thread's lanes and in later ones.
TEST(PtxText, of_roots_is_whole_in_every_form) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (const char* op : {"sqrt", "asin", "acosh"}) {
    const ir::Kernel kernel = ir::parse(
        std::string("kernel root 2 flags 1 {\n  buffer float64 2 read contiguous no_alias\n"
                    "  buffer float64 2 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = index.int64 @1\n"
                    "  %2 = load.float64 @0 %0 %1\n  %3 = ") +
        op +
        ".float64 %2\n  check.float64 @0 arithmetic %3 %2\n"
        "  store.float64 @1 %3 %0 %1\n}\n");
    for (bool disjoint : {false, true})
      EXPECT_NE(compiler->compile_ptx(kernel, {.capability = 90, .disjoint = disjoint}).find("st.global"),
                std::string::npos)
          << op;
    for (const int unroll : {1, 4}) {
      const mapping::Mapped mapped = mapping::write_tiles(kernel, {.extents = {1000, 1000}}, {},
                                                          {.width = unroll / 2 + 1, .unroll = unroll, .threads = 32});
      EXPECT_NE(compiler->compile_ptx(mapped.kernel, of_grid(mapped, 90)).find("st.global"), std::string::npos) << op;
    }
    EXPECT_NE(compiler->compile_ptx(kernel, {.capability = 90, .fast_compile = true}).find("st.global"),
              std::string::npos)
        << op;
  }
}

TEST(PtxText, of_a_call_of_other_code_passes_numbers_as_c_does) {
  const ir::Kernel kernel = ir::parse(
      "kernel k 6 block 3 flags 0 {\n  buffer float32 1 read write contiguous no_alias\n  array float64 8\n"
      "  array int32 8 shared\n"
      "  foreign f -> int8 (int64 bool int16 float64)\n  foreign g numba -> float32 (int64 int64)\n"
      "  %0 = constant.int64 0\n  %1 = constant.bool true\n  %2 = constant.int16 -3\n  %3 = constant.float64 2.5\n"
      "  %4 = address.int64 @0 %0\n  %5 = call_foreign.int8 @0 %4 %1 %2 %3\n  %6 = address_array.int64 @0 %0\n"
      "  %7 = address_array.int64 @1 %0\n  %8 = call_foreign.float32 @1 %6 %7\n  %9 = cast.float32 %5\n"
      "  %10 = add.float32 %8 %9\n  store.float32 @0 %10 %0\n}\n");
  for (const int capability : capabilities) {
    const std::string ptx =
        open_compiler()->compile_ptx(kernel, {.capability = capability, .threads = 128, .exact_grid = true});
    EXPECT_NE(ptx.find(".extern .func  (.param .b32 func_retval0) f"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("cvta.shared.u64"), std::string::npos) << ptx;
    const int machine = assembled_for(capability);
    if (machine) EXPECT_EQ(assemble(ptx, machine, "-c").find("error"), std::string::npos);
  }
}

TEST(PtxText, for_capabilities_that_are_not_known_is_for_the_newest_that_they_have) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const std::pair<int, int> targets[] = {{72, 70}, {87, 86}, {88, 86}, {100, 90}, {103, 90}, {121, 90}};
  for (const auto& [sm, target] : targets) {
    const std::string ptx = compiler->compile_ptx(chain_kernel(DType::float32, false), {.capability = sm});
    EXPECT_NE(ptx.find(format(".target sm_{}\n", target)), std::string::npos) << sm << "\n" << ptx.substr(0, 300);
  }
}

TEST(PtxText, takes_neighbours_in_accesses_of_16_bytes) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const auto ptx_of = [&](DType dtype, const mapping::Tiling& tiling, bool in_place) {
    mapping::Operands operands{.extents = {1 << 20}};
    if (in_place) operands.memory = {0, 0, 0};
    const mapping::Mapped mapped = mapping::write_tiles(chain_kernel(dtype, false), operands, {}, tiling);
    return compiler->compile_ptx(mapped.kernel, of_grid(mapped, 80));
  };
  for (const bool in_place : {false, true}) {
    const std::string load = in_place ? "ld.global" : "ld.global.nc";
    const std::string singles = ptx_of(DType::float32, {.width = 4, .unroll = 8, .threads = 256}, in_place);
    EXPECT_NE(singles.find(load + ".v4.f32"), std::string::npos);
    EXPECT_NE(singles.find("st.global.v4.f32"), std::string::npos);
    const std::string doubles = ptx_of(DType::float64, {.width = 2, .unroll = 4, .threads = 256}, in_place);
    EXPECT_NE(doubles.find(load + ".v2.f64"), std::string::npos);
    const std::string bytes = ptx_of(DType::int8, {.width = 16, .unroll = 16, .threads = 256}, in_place);
    EXPECT_NE(bytes.find(load + ".v4.u32"), std::string::npos) << bytes;
    const std::string apart = ptx_of(DType::float32, {.unroll = 8, .threads = 256}, in_place);
    EXPECT_EQ(apart.find(".v4.f32"), std::string::npos) << "lanes a block apart are no neighbours";
  }
}

TEST(PtxText, of_complex_reductions_reads_both_parts_by_one_access) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const std::string wide = dtype == DType::complex64 ? "ld.global.nc.v2.f32" : "ld.global.nc.v2.f64";
    const auto count = [&](const ir::Kernel& kernel, const DeviceMapping& mapping) {
      const std::string ptx = compiler->compile_ptx(kernel, mapping);
      std::pair<int, int> found;
      for (size_t at = ptx.find("ld.global"); at != std::string::npos; at = ptx.find("ld.global", at + 1))
        ++(ptx.compare(at, wide.size(), wide) == 0 ? found.first : found.second);
      return found;
    };
    const ir::Kernel rows = row_sum_kernel(dtype, ir::ReduceOrder::pairwise, false);
    // A test of the elements' alignment guards a short variant that reads the parts one by one; another short one is
    // for uneven chunks.
    for (const auto& [kernel, mapping] :
         {std::pair{chunk_reduction_kernel(dtype, ir::ReduceKind::add),
                    DeviceMapping{.capability = 90, .team = 512, .disjoint = true, .double_buffered = 3}},
          {rows, {.capability = 90, .team = 128, .disjoint = true}},
          {column_sum_kernel(dtype), {.capability = 90, .disjoint = true}}}) {
      const auto [whole, apart] = count(kernel, mapping);
      EXPECT_GE(whole, 32) << kernel.name << " " << name(dtype);
      EXPECT_LE(apart, 10) << kernel.name << " " << name(dtype);
    }
    EXPECT_EQ(count(column_product_kernel(dtype), {.capability = 90, .disjoint = true}),
              (std::pair{dtype == DType::complex64 ? 32 : 16, 2}));
    EXPECT_EQ(count(rows, {.capability = 90, .team = 128, .fast_compile = true}), (std::pair{0, 2}))
        << "the fast-compile mapping has one text for all";
  }
}

TEST(PtxText, reads_parameters_from_the_launch) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const std::string ptx = compiler->compile_ptx(chain_kernel(DType::float64, false), {.capability = 80});
  EXPECT_NE(ptx.find(".param .align 8 .b8 tessera_kernel_param_0["), std::string::npos);
  EXPECT_NE(ptx.find("ld.param.u64"), std::string::npos);
}

// Loads of constants may be moved below stores, so a buffer that a result may overlap is not constant.
TEST(PtxText, reads_as_constant_only_what_no_result_can_replace) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  EXPECT_EQ(compiler->compile_ptx(chain_kernel(DType::float64, false), {.capability = 80}).find("ld.global.nc"),
            std::string::npos);
  const char* text =
      "kernel widen 1 flags 0 {\n  buffer float32 1 read contiguous no_alias\n"
      "  buffer float64 1 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = load.float32 @0 %0\n"
      "  %2 = cast.float64 %1\n  store.float64 @1 %2 %0\n}\n";
  EXPECT_NE(compiler->compile_ptx(ir::parse(text), {.capability = 80}).find("ld.global.nc.f32"), std::string::npos);
}

TEST(PtxText, of_a_root_of_floats_has_no_branch) {
  const ir::Kernel kernel = ir::parse(
      "kernel root 1 flags 0 {\n  buffer float32 1 read contiguous no_alias\n  buffer float32 1 write contiguous "
      "no_alias\n"
      "  %0 = index.int64 @0\n  %1 = load.float32 @0 %0\n  %2 = sqrt.float32 %1\n  store.float32 @1 %2 %0\n}\n");
  for (bool fast_compile : {false, true}) {
    const std::string ptx = open_compiler()->compile_ptx(kernel, {.capability = 80, .fast_compile = fast_compile});
    EXPECT_EQ(ptx.find("sqrt.rn"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("rsqrt.approx.ftz.f32"), std::string::npos) << ptx;
  }
}

// The hardware division branches: no load of another lane would be issued after it.
TEST(PtxText, divides_neighbouring_lanes_without_branches) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const char* text =
      "kernel divide 1 flags 0 {\n  buffer float64 1 read contiguous no_alias\n"
      "  buffer float64 1 write contiguous no_alias\n  scalar float64\n  %0 = index.int64 @0\n  %1 = load.float64 @0 "
      "%0\n"
      "  %2 = scalar.float64 @0\n  %3 = div.float64 %1 %2\n  store.float64 @1 %3 %0\n}\n";
  const mapping::Mapped mapped = in_tiles(ir::parse(text), {1 << 20});
  const std::string ptx = compiler->compile_ptx(mapped.kernel, of_grid(mapped, 80));
  const auto count = [&](std::string_view part) {
    int found = 0;
    for (size_t at = ptx.find(part); at != std::string::npos; at = ptx.find(part, at + 1)) ++found;
    return found;
  };
  // The lanes of a tile share one reciprocal and one slow path; so does a single lane at a row's end.
  EXPECT_LE(count("rcp.approx.ftz.f64"), 2) << ptx;
  EXPECT_EQ(count("div.rn.f64"), 2) << ptx;
}

TEST(PtxText, divides_long_integers_by_what_lanes_share) {
  const std::string text =
      "kernel divide 1 flags 0 {\n  buffer int64 1 read contiguous no_alias\n  buffer int64 1 write contiguous "
      "no_alias\n"
      "  scalar int64\n  %0 = index.int64 @0\n  %1 = load.int64 @0 %0\n  %2 = scalar.int64 @0\n  %3 = floor_div.int64 "
      "%1 %2\n"
      "  store.int64 @1 %3 %0\n}\n";
  const mapping::Mapped mapped = in_tiles(ir::parse(text), {1 << 20});
  const std::string ptx = open_compiler()->compile_ptx(mapped.kernel, of_grid(mapped, 80));
  EXPECT_EQ(ptx.find("div.s64"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("div.u64"), std::string::npos) << ptx;
  int found = 0;
  for (size_t at = ptx.find("rcp.approx"); at != std::string::npos; at = ptx.find("rcp.approx", at + 1)) ++found;
  EXPECT_EQ(found, 2) << "whole tiles and the last one prepare the divisor once each\n" << ptx;
}

TEST(PtxText, lets_double_buffered_reductions_begin_early_where_the_device_can) {
  const ir::Kernel sum = chunk_reduction_kernel(DType::float64, ir::ReduceKind::add);
  for (const int capability : {80, 90}) {
    const std::string ptx =
        open_compiler()->compile_ptx(sum, {.capability = capability, .team = 512, .double_buffered = 2});
    EXPECT_EQ(ptx.find("griddepcontrol.wait") != std::string::npos, capability >= 90);
  }
}

TEST_P(Ptx, of_fast_compiled_reductions_assembles) {
  for (ir::ReduceKind kind : {ir::ReduceKind::add, ir::ReduceKind::max, ir::ReduceKind::mul}) {
    for (int team : {32, 128, 512}) {
      const std::string said =
          assemble(compiler->compile_ptx(chunk_reduction_kernel(DType::float64, kind),
                                         {.capability = GetParam(), .team = team, .fast_compile = true}),
                   machine, "-v");
      EXPECT_EQ(said.find("error"), std::string::npos) << said;
      if (team > 32) EXPECT_NE(said.find(" 0 bytes spill stores"), std::string::npos) << said;
    }
  }
  for (const ir::Kernel& kernel : {column_sum_kernel(DType::float32), column_sum_kernel(DType::complex64),
                                   row_sum_kernel(DType::complex128, ir::ReduceOrder::pairwise, true),
                                   row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, true)})
    EXPECT_EQ(assemble(compiler->compile_ptx(kernel, {.capability = GetParam(), .fast_compile = true}), machine), "")
        << kernel.name;
}

// Each of its loops is written once: the PTX assembler's time is proportional to the code.
TEST(PtxText, of_fast_compiled_reductions_is_short) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  for (ir::ReduceKind kind : {ir::ReduceKind::add, ir::ReduceKind::max}) {
    const ir::Kernel kernel = chunk_reduction_kernel(DType::float64, kind);
    const std::string fast_compile =
        compiler->compile_ptx(kernel, {.capability = 90, .team = 512, .fast_compile = true});
    EXPECT_LT(std::count(fast_compile.begin(), fast_compile.end(), ';'), 450) << fast_compile;
  }
}

TEST_P(Ptx, of_the_fast_compile_variant_assembles) {
  const ir::Kernel kernels[] = {chain_kernel(DType::float64, true),         chain_kernel(DType::float32, true),
                                chain_kernel(DType::int8, false),           stencil_kernel(DType::float64, true),
                                black_scholes_kernel(DType::float64, true), smooth_kernel()};
  for (const ir::Kernel& kernel : kernels)
    EXPECT_EQ(assemble(compiler->compile_ptx(kernel, {.capability = GetParam(), .fast_compile = true}), machine), "")
        << kernel.name;
}

// The PTX assembler's time is proportional to the code, and its own divisions and roots take most of what is left.
TEST(PtxText, of_the_fast_compile_variant_has_the_body_once) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const auto text = [&](int sums) {
    std::string body =
        "  %0 = index.int64 @0\n  %1 = load.float64 @0 %0\n  %2 = sqrt.float64 %1\n  check.float64 @0 arithmetic %2 "
        "%1\n"
        "  %4 = div.float64 %1 %2\n  check.float64 @1 divide %4 %1 %2\n";
    int last = 4;
    for (int k = 0; k < sums; ++k, last += 2)
      body += format("  %{} = add.float64 %{} %1\n  check.float64 @{} arithmetic %{} %{} %1\n", last + 2, last, k + 2,
                     last + 2, last);
    return format("kernel chain 1 flags {} ", sums + 2) + "{\n  buffer float64 1 read contiguous no_alias\n" +
           "  buffer float64 1 write contiguous no_alias\n" + body + format("  store.float64 @1 %{} %0\n", last) +
           "}\n";
  };
  const std::string few = compiler->compile_ptx(ir::parse(text(2)), {.capability = 90, .fast_compile = true});
  const std::string many = compiler->compile_ptx(ir::parse(text(22)), {.capability = 90, .fast_compile = true});
  EXPECT_EQ(few.find("div.rn"), std::string::npos) << few;
  EXPECT_EQ(few.find("sqrt.rn"), std::string::npos) << few;
  EXPECT_LT(many.size() - few.size(), 20u * 120) << many;
  const mapping::Mapped mapped =
      mapping::write_tiles(ir::parse(text(22)), {.extents = {1 << 20}}, {}, {.unroll = 4, .threads = 256});
  EXPECT_LT(many.size(), compiler->compile_ptx(mapped.kernel, of_grid(mapped, 90)).size() / 2);
}

TEST(PtxText, never_contracts) {
  std::unique_ptr<Compiler> compiler = open_compiler();
  const std::string ptx = compiler->compile_ptx(chain_kernel(DType::float64, false), {.capability = 80});
  EXPECT_EQ(ptx.find("fma."), std::string::npos);
  EXPECT_NE(ptx.find("mul.rn.f64"), std::string::npos);
  EXPECT_NE(ptx.find(".entry tessera_kernel("), std::string::npos);
}

}  // namespace
}  // namespace tessera::codegen
