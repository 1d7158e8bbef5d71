#include "tessera/engine/device/launch/mapped_launch.h"

#include <array>
#include <cstring>

#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/mapping/choose.h"

namespace tessera::engine {

using codegen::DeviceParameters;

namespace {

/// Distances between views of one version are part of a plan's identity.
mapping::Operands operands_of(const plan::KernelStep& step, LaunchOver over) {
  mapping::Operands operands{.extents = step.extents,
                             .in_words = packs_words(*step.kernel, step.extents),
                             .in_parts = over != LaunchOver::all};
  for (const plan::Binding& binding : step.buffers) {
    operands.strides.push_back(binding.strides);
    if (over == LaunchOver::passages) continue;
    operands.memory.push_back(binding.slot);
    operands.offsets.push_back(binding.offset);
  }
  return operands;
}

}  // namespace

std::shared_ptr<const mapping::Mapped> map_step(const plan::KernelStep& step, LaunchOver over) {
  if (!DeviceParameters(*step.kernel).by_value()) return nullptr;
  std::optional<mapping::Mapped> mapped = mapping::choose_mapping(*step.kernel, operands_of(step, over), {});
  if (!mapped || !DeviceParameters(mapped->kernel).by_value()) return nullptr;
  return std::make_shared<const mapping::Mapped>(*std::move(mapped));
}

codegen::DeviceMapping mapping_of(const mapping::Mapped& mapped, int capability) {
  // Buffers that share memory with others say so themselves.
  return {.capability = capability,
          .threads = mapped.kernel.device.max_threads,
          .disjoint = true,
          .exact_grid = true,
          .mapped = true};
}

runtime::Grid grid_of(const mapping::LaunchShape& shape) {
  const auto along = [](const std::array<int64_t, 3>& numbers) {
    return std::array{static_cast<uint32_t>(numbers[2]), static_cast<uint32_t>(numbers[1]),
                      static_cast<uint32_t>(numbers[0])};
  };
  return {.blocks = along(shape.blocks), .threads = along(shape.threads)};
}

std::vector<char> mapped_block(const mapping::Mapped& mapped, const mapping::LaunchShape& shape,
                               const ir::Kernel& kernel, std::span<const char> block) {
  const DeviceParameters from(kernel), to(mapped.kernel);
  std::vector<char> result(static_cast<size_t>(to.size));
  const auto put = [&](int64_t offset, const void* data, int64_t nbytes) {
    if (nbytes) std::memcpy(result.data() + offset, data, static_cast<size_t>(nbytes));
  };
  const std::array<int64_t, 6> extents = shape.extents();
  put(to.flags, block.data() + from.flags, 8);
  put(to.end, extents.data(), sizeof extents);
  put(to.extents, extents.data(), sizeof extents);
  put(to.buffers, block.data() + from.buffers, from.scalars - from.buffers);
  const auto words = [&](int64_t offset) { return reinterpret_cast<const int64_t*>(block.data() + offset); };
  mapping::write_scalars(mapped, block.data() + from.scalars,
                         {.begin = words(from.begin), .end = words(from.end), .extents = words(from.extents)},
                         result.data() + to.scalars);
  return result;
}

}  // namespace tessera::engine
