#include "tessera/engine/device/launch/device_kernels.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/cuda/fake_driver.h"
#include "tessera/runtime/host/fork_handlers.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {
namespace {

constexpr int64_t large = 10'000'000;

/// Generates text that names the variant; objects are kept in memory.
class FakeCompiler final : public codegen::Compiler {
 public:
  std::shared_ptr<codegen::NativeKernel> compile(const ir::Kernel&, codegen::Tier) override { return nullptr; }
  std::shared_ptr<codegen::HostModule> compile_cuda_cpp(std::string_view, bool) override { return nullptr; }
  std::string compile_ptx(const ir::Kernel& kernel, const codegen::DeviceMapping& mapping) override {
    return kernel.name + (mapping.fast_compile ? " fast" : " full") + (mapping.registers ? " bound" : "");
  }
  std::optional<std::string> find_object(const std::string& key) override {
    std::lock_guard lock(mutex_);
    const auto at = objects_.find(key);
    return at == objects_.end() ? std::nullopt : std::optional(at->second);
  }
  void store_object(const std::string& key, const std::string& object) override {
    std::lock_guard lock(mutex_);
    objects_[key] = object;
  }
  std::string compile_device_function(const ir::Kernel&, const codegen::DeviceFunction&) override { return ""; }
  std::string print_llvm(const ir::Kernel&, codegen::Tier) override { return ""; }
  std::string print_assembly(const ir::Kernel&, codegen::Tier) override { return ""; }
  std::string target() const override { return "fake"; }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
};

class DeviceKernelsTest : public testing::Test {
 protected:
  WantedKernel wanted(const char* op = "add", bool may_compile_fast = true) const {
    const std::string text =
        std::string("kernel ") + op +
        " 1 flags 0 {\n  buffer float64 1 read contiguous no_alias\n"
        "  buffer float64 1 write contiguous no_alias\n  %0 = index.int64 @0\n  %1 = load.float64 @0 %0\n"
        "  %2 = " +
        op + ".float64 %1 %1\n  store.float64 @1 %2 %0\n}\n";
    return {.hash = 7,
            .kernel = std::make_shared<const ir::Kernel>(ir::parse(text)),
            .mapping = {.capability = 90, .disjoint = true},
            .may_compile_fast = may_compile_fast};
  }
  void run_often(DeviceKernel& kernel) {
    for (int k = 0; k < 3; ++k) {
      kernels.advance(kernel, large);
      kernels.make_better(&compiler);
      runtime::wait_for_background();
    }
  }

  runtime::cuda::FakeDriver driver;
  runtime::Device& device = *runtime::cuda::open_device(driver.table, 0);
  FakeCompiler compiler;
  DeviceKernels kernels{device};
};

TEST_F(DeviceKernelsTest, begin_fast_compiled_and_become_full_once_they_have_proved_worth_it) {
  DeviceKernel& kernel = kernels.find_or_compile(wanted(), &compiler);
  EXPECT_EQ(driver.assembled, std::vector<std::string>{"add fast"});
  EXPECT_TRUE(kernel.mapping.fast_compile);
  EXPECT_FALSE(kernel.is_settled);
  const std::shared_ptr<runtime::Program> fast_compile = kernel.program;
  kernels.advance(kernel, 100);
  kernels.make_better(&compiler);
  runtime::wait_for_background();
  EXPECT_EQ(driver.assembled.size(), 1u);
  run_often(kernel);
  EXPECT_EQ(driver.assembled.size(), 2u);
  EXPECT_EQ(driver.assembled.back(), "add full");
  EXPECT_TRUE(kernel.is_settled);
  EXPECT_EQ(kernel.mapping, wanted().mapping);
  EXPECT_NE(kernel.program, fast_compile);
  EXPECT_EQ(&kernels.find_or_compile(wanted(), &compiler), &kernel);
}

TEST_F(DeviceKernelsTest, begin_full_where_the_disk_has_it_or_there_is_no_fast_compile_variant) {
  run_often(kernels.find_or_compile(wanted(), &compiler));
  DeviceKernels later(device);
  DeviceKernel& kernel = later.find_or_compile(wanted(), &compiler);
  EXPECT_EQ(kernel.mapping, wanted().mapping);
  EXPECT_TRUE(kernel.is_settled);
  EXPECT_EQ(driver.assembled.size(), 2u);
  EXPECT_TRUE(later.find_or_compile(wanted("mul", false), &compiler).is_settled);
  EXPECT_EQ(driver.assembled.back(), "mul full");
}

TEST_F(DeviceKernelsTest, lose_their_bound_on_registers_where_it_costs_memory) {
  WantedKernel bound = wanted("add", false);
  bound.mapping.registers = 48;
  EXPECT_TRUE(kernels.find_or_compile(bound, &compiler).is_settled);
  EXPECT_EQ(driver.assembled, std::vector<std::string>{"add full bound"});
  driver.spilling = "bound";
  WantedKernel spilling = wanted("mul", false);
  spilling.mapping.registers = 48;
  const DeviceKernel& kernel = kernels.find_or_compile(spilling, &compiler);
  EXPECT_TRUE(kernel.is_settled);
  EXPECT_EQ(kernel.program->local_bytes(), 0);
  EXPECT_EQ(driver.assembled.back(), "mul full");
}

TEST_F(DeviceKernelsTest, become_full_first_that_have_most_to_do) {
  runtime::install_fork_handlers();
  const pid_t child = fork();  // ends the threads started by other tests
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const int count = runtime::thread_count();
  runtime::set_thread_count(2);  // so one thread compiles them
  DeviceKernel* hot[] = {&kernels.find_or_compile(wanted("add"), &compiler),
                         &kernels.find_or_compile(wanted("sub"), &compiler),
                         &kernels.find_or_compile(wanted("mul"), &compiler)};
  driver.assembly_time = std::chrono::milliseconds(300);
  for (DeviceKernel* kernel : hot) {
    kernels.advance(*kernel, 2 * large);
    kernels.make_better(&compiler);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the first has begun
  }
  kernels.advance(*hot[2], large);
  runtime::wait_for_background();
  runtime::set_thread_count(count);
  const std::vector<std::string> full(driver.assembled.end() - 3, driver.assembled.end());
  EXPECT_EQ(full, (std::vector<std::string>{"add full", "mul full", "sub full"}));
}

TEST_F(DeviceKernelsTest, stay_fast_compiled_where_the_full_variant_fails_and_say_so) {
  driver.refused = "full";
  DeviceKernel& kernel = kernels.find_or_compile(wanted(), &compiler);
  EXPECT_EQ(kernels.problem(), "");
  run_often(kernel);
  EXPECT_NE(kernels.problem().find("assembling a kernel"), std::string::npos) << kernels.problem();
  EXPECT_TRUE(kernel.mapping.fast_compile);
  EXPECT_NE(kernel.program, nullptr);
  EXPECT_TRUE(kernel.is_settled);
  const size_t assembled = driver.assembled.size();
  run_often(kernel);
  EXPECT_EQ(driver.assembled.size(), assembled);
}

TEST_F(DeviceKernelsTest, begin_full_where_the_fast_compile_variant_fails) {
  driver.refused = "fast";
  const DeviceKernel& kernel = kernels.find_or_compile(wanted(), &compiler);
  EXPECT_NE(kernel.program, nullptr);
  EXPECT_EQ(kernel.mapping, wanted().mapping);
  EXPECT_TRUE(kernel.is_settled);
}

TEST_F(DeviceKernelsTest, are_compiled_together) {
  const WantedKernel list[] = {wanted("add"), wanted("sub"), wanted("add"), wanted("mul", false)};
  kernels.compile(list, &compiler);
  const std::set<std::string> texts(driver.assembled.begin(), driver.assembled.end());
  EXPECT_EQ(texts, (std::set<std::string>{"add fast", "sub fast", "mul full"}));
  EXPECT_EQ(driver.assembled.size(), 3u);
  kernels.compile(list, &compiler);
  EXPECT_EQ(driver.assembled.size(), 3u);
}

TEST_F(DeviceKernelsTest, are_compiled_in_the_background_when_asked) {
  EXPECT_FALSE(kernels.is_ready(wanted(), &compiler, Making::never));
  EXPECT_EQ(driver.assembled.size(), 0u);
  EXPECT_FALSE(kernels.is_ready(wanted(), &compiler, Making::now));
  runtime::wait_for_background();
  EXPECT_TRUE(kernels.is_ready(wanted(), &compiler, Making::now));
  EXPECT_TRUE(kernels.find_or_compile(wanted(), &compiler).mapping.fast_compile);
  EXPECT_EQ(driver.assembled.size(), 1u);
}

TEST_F(DeviceKernelsTest, let_what_is_waited_for_be_made_first_when_asked) {
  EXPECT_FALSE(kernels.is_ready(wanted("add"), &compiler, Making::afterwards));
  EXPECT_FALSE(kernels.is_ready(wanted("mul"), &compiler, Making::afterwards));
  kernels.find_or_compile(wanted("sub"), &compiler);
  kernels.find_or_compile(wanted("mul"), &compiler);
  runtime::wait_for_background();
  EXPECT_EQ(driver.assembled, (std::vector<std::string>{"sub fast", "mul fast"}));
  kernels.make_better(&compiler);
  runtime::wait_for_background();
  EXPECT_EQ(driver.assembled, (std::vector<std::string>{"sub fast", "mul fast", "add fast"}));
  EXPECT_TRUE(kernels.is_ready(wanted("add"), &compiler, Making::never));
}

TEST_F(DeviceKernelsTest, may_be_on_their_way_when_the_process_forks) {
  runtime::install_fork_handlers();
  DeviceKernel& kernel = kernels.find_or_compile(wanted(), &compiler);
  driver.assembly_time = std::chrono::milliseconds(50);
  kernels.advance(kernel, 2 * large);
  kernels.make_better(&compiler);
  const pid_t child = fork();
  if (child == 0) _exit(device.is_usable() ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  run_often(kernel);
  EXPECT_EQ(kernel.mapping, wanted().mapping);
}

TEST_F(DeviceKernelsTest, may_be_on_their_way_when_the_process_ends) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto leave_early = [&] {
    DeviceKernel& kernel = kernels.find_or_compile(wanted(), &compiler);
    driver.assembly_time = std::chrono::milliseconds(50);
    kernels.advance(kernel, 2 * large);
    kernels.make_better(&compiler);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // compilation has begun
    std::exit(0);
  };
  EXPECT_EXIT(leave_early(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tessera::engine
