// User kernels: interpreted, compiled for the host, and as PTX.
#include <gtest/gtest.h>

#include <numeric>

#include "tessera/codegen/device_test.h"
#include "tessera/codegen/samples/assembler.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/interpreter.h"
#include "tessera/ir/recursive_kernels.h"
#include "tessera/ir/user_kernels.h"

namespace tessera::codegen {
namespace {

constexpr int sm = 80;
constexpr DeviceMapping exact{.capability = sm, .threads = 256, .exact_grid = true};

/// A launch: its extents are grid z, y, x and block z, y, x.
struct UserLaunch {
  ir::Kernel kernel;
  std::vector<int64_t> extents;
  std::vector<std::vector<double>> arrays;  // or int32 in pairs, see `types`
  std::vector<std::vector<int64_t>> shapes;
  std::vector<Scalar> scalars{};
  int64_t shared_bytes = 0;
};

std::vector<double> counted(int64_t n) {
  std::vector<double> values(static_cast<size_t>(n));
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>((k * 7919) % 1000) / 8 - 40;
  return values;
}

std::vector<UserLaunch> launches() {
  return {
      {ir::vector_add_kernel(), {1, 1, 5, 1, 1, 64}, {counted(300), counted(300), counted(300)}, {{300}, {300}, {300}}},
      {ir::transpose_kernel(),
       {1, 3, 2, 1, 8, 16},
       {counted(30 * 20), counted(20 * 30)},
       {{30, 20}, {20, 30}},
       {Scalar::of_float(DType::float64, 1.5)}},
      {ir::block_sum_kernel(), {1, 1, 4, 1, 16, 16}, {counted(1000), counted(4)}, {{1000}, {4}}},
      {ir::block_sum_kernel(), {1, 1, 4, 4, 8, 8}, {counted(1000), counted(4)}, {{1000}, {4}}},
      {ir::block_sum_kernel(), {1, 1, 4, 1, 1, 256}, {counted(1000), counted(4)}, {{1000}, {4}}},
      {ir::matmul_kernel(),
       {1, 2, 3, 1, 16, 16},
       {counted(20 * 37), counted(37 * 40), counted(20 * 40)},
       {{20, 37}, {37, 40}, {20, 40}}},
      {ir::early_return_kernel(), {1, 1, 4, 1, 1, 64}, {counted(256), counted(200)}, {{256}, {200}}},
      {ir::early_return_kernel(), {1, 1, 4, 2, 1, 32}, {counted(256), counted(100)}, {{256}, {100}}},
      {ir::warp_kernel(), {1, 1, 4, 1, 1, 64}, {counted(256), counted(256)}, {{256}, {256}}},
      {ir::warp_kernel(), {1, 1, 2, 2, 4, 16}, {counted(256), counted(256)}, {{256}, {256}}},
      {ir::recursive_kernel(), {1, 1, 3, 1, 2, 64}, {counted(300)}, {{300}}},
      {ir::reverse_kernel(), {1, 1, 1, 1, 1, 64}, {counted(300)}, {{300}}},
      {ir::mirror_kernel(), {1, 1, 4, 1, 1, 64}, {counted(256), counted(256)}, {{256}, {256}}, {}, 512},
  };
}

using Execute = std::function<void(const ir::Kernel&, Binding&)>;

std::vector<double> result_of(UserLaunch launch, const Execute& execute) {
  Binding binding(launch.extents);
  for (size_t k = 0; k < launch.arrays.size(); ++k) binding.add(launch.arrays[k].data(), launch.shapes[k], 8);
  for (const Scalar& scalar : launch.scalars) binding.add_scalar(scalar);
  binding.share(launch.shared_bytes);
  execute(launch.kernel, binding);
  return launch.arrays.back();
}

std::vector<double> interpreted(const UserLaunch& launch) {
  return result_of(launch, [](const ir::Kernel& kernel, Binding& binding) {
    const std::vector<int64_t> begin(6);
    ir::Program(kernel).run(binding.arguments(), begin.data(), binding.extents().data());
  });
}

TEST(UserKernel, interpreted_kernels_compute_what_they_say) {
  const std::vector<UserLaunch> all = launches();
  const std::vector<double> sums = interpreted(all[0]);
  for (size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 2 * all[0].arrays[0][i]);
  const std::vector<double> turned = interpreted(all[1]);
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 30; ++j)
      ASSERT_EQ(turned[i * 30 + j],
                1.5 * all[1].arrays[0][j * 20 + i] + (static_cast<double>(i) - static_cast<double>(j)));
  for (size_t launch : {2, 3, 4}) {
    const std::vector<double> blocks = interpreted(all[launch]);
    for (size_t k = 0; k < 4; ++k) {
      double sum = 0;  // exact: the elements are multiples of 1/8
      for (size_t i = 256 * k; i < std::min<size_t>(1000, 256 * (k + 1)); ++i) sum += all[launch].arrays[0][i];
      ASSERT_EQ(blocks[k], sum);
    }
  }
  const std::vector<double> product = interpreted(all[5]);
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 40; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 37; ++k) sum += all[5].arrays[0][i * 37 + k] * all[5].arrays[1][k * 40 + j];
      ASSERT_EQ(product[i * 40 + j], sum);
    }
}

TEST(UserKernel, threads_that_return_early_meet_no_others) {
  const UserLaunch launch = launches()[6];
  const std::vector<double> means = interpreted(launch);
  for (size_t i = 0; i < means.size(); ++i) {
    double sum = 0;
    for (size_t k = i / 64 * 64; k <= i; ++k) sum += launch.arrays[0][k];
    ASSERT_EQ(means[i], sum / static_cast<double>(i % 64 + 1)) << i;
  }
}

TEST(UserKernel, dynamic_shared_arrays_of_several_types_are_one_memory) {
  const UserLaunch launch = launches().back();
  const std::vector<double> mirrored = interpreted(launch);
  for (size_t i = 0; i < mirrored.size(); ++i)
    ASSERT_EQ(mirrored[i], -launch.arrays[0][i / 64 * 64 + 63 - i % 64]) << i;
  EXPECT_EQ(ir::parse(ir::print(launch.kernel)), launch.kernel);
  const std::string text = open_compiler()->compile_ptx(launch.kernel, exact);
  EXPECT_NE(text.find(".extern .shared"), std::string::npos) << text;
}

TEST(UserKernel, lanes_of_a_branch_vote_and_shuffle_among_themselves) {
  const UserLaunch launch = launches()[8];
  const std::vector<double>& x = launch.arrays[0];
  const std::vector<double> got = interpreted(launch);
  const auto positive = [&](size_t first, size_t count, size_t step) {
    int found = 0;
    for (size_t i = first; i < first + count; i += step) found += x[i] > 0;
    return found;
  };
  for (size_t i = 0; i < got.size(); ++i) {
    const double in_block = 1000 * positive(i / 64 * 64, 64, 1);
    const double learnt = i % 2 ? -x[i] : x[i ^ 2] + positive(i / 32 * 32, 32, 2) + 100 * 2;
    ASSERT_EQ(got[i], learnt + in_block) << i;
  }
}

TEST(UserKernel, native_code_gives_the_interpreters_bits) {
  const std::unique_ptr<Compiler> compiler = open_compiler();
  for (const UserLaunch& launch : launches()) {
    const std::vector<double> expected = interpreted(launch);
    for (const Tier tier : {Tier::quick, Tier::full}) {
      compiler->print_llvm(launch.kernel, tier);  // verifies
      const auto native = compiler->compile(launch.kernel, tier);
      const std::vector<double> got =
          result_of(launch, [&](const ir::Kernel&, Binding& binding) { binding.run(native->entry()); });
      EXPECT_EQ(got, expected) << launch.kernel.name;
    }
  }
}

TEST(UserKernel, atomics_in_shared_memory_and_in_arrays_count_everything) {
  const std::unique_ptr<Compiler> compiler = open_compiler();
  const ir::Kernel kernel = ir::histogram_kernel();
  std::vector<int32_t> values(5000), expected(64);
  for (size_t k = 0; k < values.size(); ++k)
    ++expected[static_cast<size_t>(values[k] = static_cast<int32_t>(k * k % 61))];
  const auto run = [&](const std::function<void(Binding&)>& execute) {
    std::vector<int32_t> counts(64);
    Binding binding({1, 1, 3, 2, 8, 8});
    execute(binding.add(values.data(), {5000}, 4).add(counts.data(), {64}, 4));
    return counts;
  };
  const std::vector<int64_t> begin(6);
  EXPECT_EQ(run([&](Binding& binding) {
              ir::Program(kernel).run(binding.arguments(), begin.data(), binding.extents().data());
            }),
            expected);
  for (const Tier tier : {Tier::quick, Tier::full})
    EXPECT_EQ(run([&](Binding& binding) { binding.run(compiler->compile(kernel, tier)->entry()); }), expected);
}

/// One block of 64 threads, each of which tells the host that it stores its number where `element` says.
std::pair<int, std::vector<ir::CheckCell>> told_stores(int64_t element) {
  ir::UserBuilder b("told");
  const uint32_t out = b.write(DType::int64, 1);
  const uint32_t array = b.add_array({.dtype = DType::int64, .size = 64, .shared = true});
  const ir::Value t = b.thread_index('x'), at = element < 0 ? t : b.number(element);
  const ir::Value words[] = {t, t, at};
  b.call_host(ir::check_number(ir::CheckCall::write_array, array), words);
  b.store_array(array, t, at);
  b.barrier();
  b.put(out, b.load_array(array, at), {t});
  const ir::Kernel kernel = b.take();
  std::vector<int64_t> results(64);
  constexpr uint32_t time = 5;
  std::vector<ir::CheckLane> lanes(64, {.grid_time = 1, .block_time = time, .warp_time = time});
  std::vector<ir::CheckCell> cells(64);
  ir::CheckState state{.block = 0, .begin = time, .lanes = lanes.data(), .cells = cells.data()};
  int calls = 0;
  state.owner = &calls;
  Binding binding({1, 1, 1, 1, 1, 64});
  binding.add(results.data(), {64}, 8);
  ir::KernelArguments arguments = binding.arguments();
  arguments.host_context = &state;
  arguments.host = [](void* context, uint32_t, const int64_t*) -> int64_t {
    ++*static_cast<int*>(static_cast<ir::CheckState*>(context)->owner);
    return 0;
  };
  const std::vector<int64_t> begin(6);
  open_compiler()->compile(kernel, Tier::quick)->entry()(&arguments, begin.data(), binding.extents().data());
  return {calls, cells};
}

TEST(UserKernel, code_of_checked_launches_leaves_marks_itself_and_calls_where_they_meet) {
  const auto [calls, cells] = told_stores(-1);
  EXPECT_EQ(calls, 0);
  for (uint64_t t = 0; t < cells.size(); ++t) {
    EXPECT_EQ(cells[t].writer, uint64_t{5} << 32 | t);
    EXPECT_EQ(cells[t].value, t);
  }
  EXPECT_EQ(told_stores(7).first, 63);
}

TEST(UserKernel, ptx_reads_the_coordinates_of_the_launch) {
  const std::unique_ptr<Compiler> compiler = open_compiler();
  const std::string text = compiler->compile_ptx(ir::transpose_kernel(), exact);
  for (const char* wanted : {"%ctaid.x", "%ctaid.y", "%tid.x", "%tid.y", ".maxntid 256"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << "\n" << text;
  EXPECT_EQ(text.find("%nctaid"), std::string::npos) << "a stride of the grid\n" << text;
}

TEST(UserKernel, ptx_is_accepted_by_the_assembler) {
  const int oldest = assembled_for(70);
  if (oldest == 0) GTEST_SKIP() << "no ptxas";
  const std::unique_ptr<Compiler> compiler = open_compiler();
  std::vector<ir::Kernel> kernels{ir::histogram_kernel()};
  for (const UserLaunch& launch : launches()) kernels.push_back(launch.kernel);
  for (const int known : {oldest, assembled_for(90)}) {
    for (const ir::Kernel& kernel : kernels) {
      DeviceMapping mapping = exact;
      mapping.capability = known;
      EXPECT_EQ(assemble(compiler->compile_ptx(kernel, mapping), known), "") << kernel.name;
    }
  }
}

TEST(UserKernel, ptx_of_votes_and_shuffles_assembles_for_old_and_new_machines) {
  const std::unique_ptr<Compiler> compiler = open_compiler();
  for (const int capability : {70, 90}) {
    DeviceMapping mapping = exact;
    mapping.capability = capability;
    const std::string text = compiler->compile_ptx(ir::warp_kernel(), mapping);
    for (const char* wanted : {"shfl.sync.", "vote.sync.ballot", "match.any.sync", "bar.warp.sync", "membar"})
      EXPECT_NE(text.find(wanted), std::string::npos) << wanted << "\n" << text;
    if (const int known = assembled_for(capability)) EXPECT_EQ(assemble(text, known), "") << capability;
  }
}

using UserKernelOnDevice = DeviceTest;

TEST_F(UserKernelOnDevice, a_device_gives_the_interpreters_bits) {
  for (UserLaunch launch : launches()) {
    const std::vector<double> expected = interpreted(launch);
    DeviceMapping mapping = exact;
    mapping.capability = device->facts().capability;
    const auto program = device->load(compiler->compile_ptx(launch.kernel, mapping), "tessera_kernel");
    Binding binding(launch.extents);
    std::vector<Ref<Buffer>> buffers;
    std::vector<const char*> starts;
    for (size_t k = 0; k < launch.arrays.size(); ++k) {
      std::vector<double>& array = launch.arrays[k];
      buffers.push_back(copy_in(array.data(), 8 * array.size()));
      starts.push_back(buffers.back()->data());
      binding.add(array.data(), launch.shapes[k], 8);
    }
    for (const Scalar& scalar : launch.scalars) binding.add_scalar(scalar);
    const auto size = [&](size_t axis) { return static_cast<uint32_t>(launch.extents[axis]); };
    const int64_t begin[6] = {};
    const std::vector<char> block =
        pack(launch.kernel, binding.arguments(), begin, launch.extents.data(), starts, nullptr);
    const auto shared = static_cast<uint32_t>(launch.shared_bytes);
    device->stream().launch(*program, {{size(2), size(1), size(0)}, {size(5), size(4), size(3)}, shared}, block);
    std::vector<double> got(expected.size());
    copy_out(got.data(), buffers.back(), 8 * got.size());
    EXPECT_EQ(got, expected) << launch.kernel.name;
  }
}

}  // namespace
}  // namespace tessera::codegen
