#include <gtest/gtest.h>

#include <string>

#include "tessera/base/error.h"
#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/cuda/fake_driver.h"

namespace tessera::runtime::cuda {
namespace {

TEST(CudaModule, FindsKernelsWithTheirParametersAndVariables) {
  FakeDriver fake;
  fake.parameter_bytes = {4, 8};
  Device& device = *open_device(fake.table, 0);
  std::string log;
  const std::shared_ptr<Module> module = device.load_module("code", {}, log);
  EXPECT_EQ(module->find("missing"), nullptr);
  EXPECT_FALSE(module->find_variable("missing"));
  EXPECT_EQ(module->find_variable("constant")->data, fake.variable);
  const std::shared_ptr<Program> kernel = module->find("kernel");
  EXPECT_EQ(kernel->parameters(), (std::vector<ParameterPlace>{{0, 4}, {4, 8}}));
  kernel->set_attribute(ProgramAttribute::max_dynamic_shared_bytes, 60000);
  EXPECT_EQ(fake.allowed_dynamic, 60000);
}

TEST(CudaModule, LaunchesPassOneValueForEachParameter) {
  FakeDriver fake;
  fake.parameter_bytes = {4, 8};
  Device& device = *open_device(fake.table, 0);
  std::string log;
  const std::shared_ptr<Program> kernel = device.load_module("code", {}, log)->find("kernel");
  char first[] = "1234", second[] = "abcdefgh";
  void* const values[] = {first, second};
  device.stream().launch_user(*kernel, {.shared_bytes = 50000}, values, false);
  EXPECT_EQ(fake.arguments, (std::vector<std::string>{"1234", "abcdefgh"}));
  EXPECT_EQ(fake.allowed_dynamic, 50000);
  device.stream().launch_user(*kernel, {}, values, true);
  EXPECT_EQ(fake.launched_cooperative, 1);
}

TEST(CudaModule, IsUnloadedWithItsLastKernelWhenTheDeviceIsIdle) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  std::string log;
  std::shared_ptr<Module> module = device.load_module("code", {}, log);
  std::shared_ptr<Program> kernel = module->find("kernel");
  module.reset();
  EXPECT_EQ(fake.modules_unloaded, 0);
  const int waits = fake.waits;
  kernel.reset();
  EXPECT_EQ(fake.modules_unloaded, 1);
  EXPECT_EQ(fake.waits, waits + 1);
}

}  // namespace
}  // namespace tessera::runtime::cuda
