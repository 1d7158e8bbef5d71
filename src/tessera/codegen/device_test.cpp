// Drawn kernels on a GPU against the interpreter; skipped where the driver or a device is missing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/ir/interpreter.h"

namespace tessera::codegen {
namespace {

/// The few driver functions this test calls, found by name.
class Driver {
 public:
  using Address = unsigned long long;

  static Driver* open() {
    static Driver driver;
    return driver.ready_ ? &driver : nullptr;
  }
  int capability() const { return capability_; }

  void* load(const std::string& ptx) {
    void* module = nullptr;
    check("cuModuleLoadData", call<const void*>("cuModuleLoadData", &module, ptx.c_str()));
    void* function = nullptr;
    check("cuModuleGetFunction", call<void*, const char*>("cuModuleGetFunction", &function, module, "tessera_kernel"));
    return function;
  }
  Address copy_in(const void* data, size_t bytes) {
    Address address = 0;
    check("cuMemAlloc", call<size_t>("cuMemAlloc_v2", reinterpret_cast<void**>(&address), std::max<size_t>(bytes, 1)));
    check("cuMemcpyHtoD",
          library_.find_function<int(Address, const void*, size_t)>("cuMemcpyHtoD_v2")(address, data, bytes));
    return address;
  }
  void copy_out(void* data, Address address, size_t bytes) {
    check("cuMemcpyDtoH", library_.find_function<int(void*, Address, size_t)>("cuMemcpyDtoH_v2")(data, address, bytes));
    check("cuMemFree", library_.find_function<int(Address)>("cuMemFree_v2")(address));
  }
  void launch(void* function, Address block) {
    void* parameters[] = {&block};
    auto* start = library_.find_function<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                             unsigned, void*, void**, void**)>("cuLaunchKernel");
    // A grid smaller than most boxes, so that its strides are walked too.
    check("cuLaunchKernel", start(function, 2, 3, 1, 16, 1, 1, 0, nullptr, parameters, nullptr));
    check("cuCtxSynchronize", library_.find_function<int()>("cuCtxSynchronize")());
  }

 private:
  Driver() {
    const std::string names[] = {"libcuda.so.1"};
    library_ = DynamicLibrary::open_any(names);
    if (!library_ || library_.find_function<int(unsigned)>("cuInit")(0) != 0) return;
    int device = 0, major = 0, minor = 0;
    if (library_.find_function<int(int*, int)>("cuDeviceGet")(&device, 0) != 0) return;
    auto* attribute = library_.find_function<int(int*, int, int)>("cuDeviceGetAttribute");
    attribute(&major, 75, device);
    attribute(&minor, 76, device);
    capability_ = major * 10 + minor;
    void* context = nullptr;
    if (call<int>("cuDevicePrimaryCtxRetain", &context, device) != 0) return;
    ready_ = library_.find_function<int(void*)>("cuCtxSetCurrent")(context) == 0;
  }
  template <class... Args>
  int call(const char* name, void** out, Args... args) {
    return library_.find_function<int(void**, Args...)>(name)(out, args...);
  }
  static void check(const char* what, int code) { require<RuntimeError>(code == 0, "{} failed with {}", what, code); }

  DynamicLibrary library_;
  int capability_ = 0;
  bool ready_ = false;
};

/// The parameter block for one box.
std::vector<char> pack(const ir::Kernel& kernel, const ir::KernelArguments& arguments, const int64_t* begin,
                       const int64_t* end, std::span<const Driver::Address> buffers, Driver::Address flags) {
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

TEST(Device, gives_the_interpreters_bits) {
  Driver* driver = Driver::open();
  if (!driver) GTEST_SKIP() << "no GPU here";
  std::unique_ptr<Compiler> compiler = open_compiler();
  const char* text = std::getenv("TESSERA_KERNELS");
  const uint64_t count = text ? static_cast<uint64_t>(std::atoll(text)) : 100;
  int wrong = 0;
  const char* first = std::getenv("TESSERA_SEED");
  const uint64_t start = first ? static_cast<uint64_t>(std::atoll(first)) : 0;
  for (uint64_t seed = start; seed < start + count; ++seed) {
    const RandomKernel random(seed);
    const ir::Kernel& kernel = random.kernel();
    const ir::Program program(kernel);
    const Outcome expected =
        random.run([&](auto& arguments, auto* begin, auto* end, auto) { program.run(arguments, begin, end); }, false);
    void* function = driver->load(compiler->compile_ptx(kernel, driver->capability()));
    const auto execute = [&](auto& arguments, auto* begin, auto* end, std::span<std::vector<char>> memory) {
      std::vector<Driver::Address> allocations, buffers;
      for (size_t k = 0; k < memory.size(); ++k) {
        allocations.push_back(driver->copy_in(memory[k].data(), memory[k].size()));
      }
      for (size_t k = 0; k < memory.size(); ++k) {
        // A result may lie in an operand's memory.
        size_t home = 0;
        while (arguments.buffers[k] < memory[home].data() ||
               arguments.buffers[k] >= memory[home].data() + memory[home].size())
          ++home;
        buffers.push_back(allocations[home] + static_cast<size_t>(arguments.buffers[k] - memory[home].data()));
      }
      const size_t flag_bytes = 4 * kernel.flag_slots;
      const Driver::Address flags = driver->copy_in(arguments.flags, flag_bytes);
      const std::vector<char> packed = pack(kernel, arguments, begin, end, buffers, flags);
      std::vector<char> spent = packed;
      const Driver::Address block = driver->copy_in(packed.data(), packed.size());
      driver->launch(function, block);
      for (size_t k = 0; k < memory.size(); ++k) driver->copy_out(memory[k].data(), allocations[k], memory[k].size());
      driver->copy_out(arguments.flags, flags, flag_bytes);
      driver->copy_out(spent.data(), block, spent.size());
    };
    const std::string difference = random.difference(random.run(execute, seed % 2), expected);
    EXPECT_EQ(difference, "") << "seed " << seed << "\n" << (wrong < 2 ? ir::print(kernel) : "");
    if (!difference.empty() && ++wrong == 12) break;
  }
}

}  // namespace
}  // namespace tessera::codegen
