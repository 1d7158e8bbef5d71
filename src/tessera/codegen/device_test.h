/// DeviceTest: the fixture of tests that run kernels on a GPU; they are skipped where the driver or a device is
/// missing.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/mapping/tiles/map_tiles.h"
#include "tessera/runtime/device.h"

namespace tessera::codegen {

/// The parameter block for one box.
inline std::vector<char> pack(const ir::Kernel& kernel, const ir::KernelArguments& arguments, const int64_t* begin,
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

class DeviceTest : public testing::Test {
 protected:
  using Buffer = runtime::Buffer;

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
  void launch(const runtime::Program& program, const runtime::Grid& grid, const std::vector<char>& block,
              bool by_value) {
    if (by_value) return device->stream().launch(program, grid, block);
    const Ref<Buffer> copy = copy_in(block.data(), block.size());
    const char* address = copy->data();
    device->stream().launch(program, grid, std::span(reinterpret_cast<const char*>(&address), sizeof address));
  }

  std::shared_ptr<runtime::Program> load(const mapping::Mapped& mapped) {
    const DeviceMapping mapping = engine::mapping_of(mapped, device->facts().capability);
    return device->load(compiler->compile_ptx(mapped.kernel, mapping), "tessera_kernel");
  }
  void launch(const runtime::Program& program, const mapping::Mapped& mapped, const ir::Kernel& kernel,
              const std::vector<char>& block) {
    launch(program, engine::grid_of(mapped.shape), engine::mapped_block(mapped, mapped.shape, kernel, block), true);
  }

  /// Runs a kernel with 1-D operand 0 and result 1 on one array of doubles or floats, in tiles of so many lanes a
  /// thread, or (0) in the fast-compile variant.
  template <class T>
  std::vector<T> run_over(const ir::Kernel& kernel, int unroll, const std::vector<T>& in, double scalar) {
    const mapping::Operands operands{.extents = {static_cast<int64_t>(in.size())}};
    const mapping::Mapped mapped =
        mapping::write_tiles(kernel, operands, {}, {.unroll = std::max(unroll, 1), .threads = 64});
    const auto program =
        unroll ? load(mapped)
               : device->load(
                     compiler->compile_ptx(kernel, {.capability = device->facts().capability, .fast_compile = true}),
                     "tessera_kernel");
    const int64_t item = sizeof(T), count = static_cast<int64_t>(in.size()), begin = 0, strides[] = {item, item},
                  dimensions[] = {count, count};
    const Ref<Buffer> x = copy_in(in.data(), in.size() * sizeof(T)), y = device->allocate(in.size() * sizeof(T)),
                      flags = device->allocate(64);
    const char* buffers[] = {x->data(), y->data()};
    const double scalars[] = {scalar, 0};
    const ir::KernelArguments arguments{.buffers = nullptr,
                                        .strides = strides,
                                        .dimensions = dimensions,
                                        .scalars = reinterpret_cast<const char*>(scalars),
                                        .extents = &count,
                                        .flags = nullptr};
    const std::vector<char> block = pack(kernel, arguments, &begin, &count, buffers, flags->data());
    if (unroll)
      launch(*program, mapped, kernel, block);
    else
      launch(*program, {{40, 1, 1}, {64, 1, 1}}, block, true);
    std::vector<T> out(in.size());
    copy_out(out.data(), y, out.size() * sizeof(T));
    return out;
  }

  runtime::Device* device = nullptr;
  std::unique_ptr<Compiler> compiler = open_compiler();
};

}  // namespace tessera::codegen
