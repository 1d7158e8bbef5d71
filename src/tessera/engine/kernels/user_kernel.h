/// UserKernel: a kernel that a user wrote, with variants for the layouts of the arrays that it is launched on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

class DeviceRunner;
struct DeviceKernel;

/// What a variant knows of its arrays; a bit for each of the first 64.
struct LaunchLayout {
  uint64_t contiguous = 0;         // neighbours along the last axis are neighbours in memory
  uint64_t aliased = 0;            // another array that the kernel uses shares memory, and one of the two is written
  bool can_swap = false;           // the launch's shape allows it to exchange x and y
  bool is_apart = false;           // its lanes run apart (lanes_apart.h)
  std::array<int16_t, 3> block{};  // along z, y and x, where the code is for blocks of this shape alone
  friend auto operator<=>(const LaunchLayout&, const LaunchLayout&) = default;
};

/// One kernel for one layout.
struct KernelVariant {
  std::shared_ptr<const ir::Kernel> kernel;
  uint64_t hash = 0;
  bool meets_in_grid = false;
  bool is_apart = false;                    // LaunchLayout::is_apart
  bool is_swapped = false;                  // launched with x and y exchanged (swap_axes.h)
  std::shared_ptr<CachedKernel> on_host{};  // null until it first runs there
  /// On the device where it was launched last.
  struct OnDevice {
    const DeviceRunner* runner = nullptr;
    int threads = 0;  // for which registers are allotted
    DeviceKernel* kernel = nullptr;
  } on_device{};
};

/// The bytes of the shared arrays whose size the kernel states.
int64_t static_shared_bytes(const ir::Kernel& kernel);

class UserKernel {
 public:
  explicit UserKernel(std::shared_ptr<const ir::Kernel> kernel);

  const ir::Kernel& kernel() const { return *kernel_; }
  /// Whether only this object refers to the kernel.
  bool is_unused() const { return kernel_.use_count() == 1; }
  KernelVariant& variant(const LaunchLayout& layout);
  /// The same for a launch of this shape.
  KernelVariant& variant(LaunchLayout layout, const LaunchShape& shape);
  /// The same on the cores, where code whose lanes meet is made for one shape of blocks.
  KernelVariant& variant_on_host(LaunchLayout layout, const LaunchShape& shape);
  /// About one for eight instructions of a lane, where loops run sixteen times.
  int64_t work_a_lane() const { return work_a_lane_; }
  /// Of so many lanes, where loops may run that often: what interpreting them may take.
  int64_t most_work(int64_t lanes, int64_t longest) const;
  /// Instructions of a lane whose loops run so many times each.
  double steps_a_lane(double iterations) const;

 private:
  static constexpr size_t depths = 4;  // deeper loops count as the deepest

  std::shared_ptr<const ir::Kernel> kernel_;
  int64_t work_a_lane_;
  bool may_swap_ = false;
  bool has_barriers_ = false;
  bool waits_within_blocks_ = false;
  std::vector<std::array<int16_t, 3>> blocks_{};  // the shapes that there is code for
  std::array<int64_t, depths> steps_{};           // instructions in so many loops
  std::map<LaunchLayout, KernelVariant> variants_;
};

/// All user kernels that were launched and that somebody still refers to.
class UserKernels {
 public:
  /// The entry for this kernel, by identity; checks a new one. The reference is valid as long as the
  /// caller holds the kernel.
  UserKernel& find_or_add(const std::shared_ptr<const ir::Kernel>& kernel);

 private:
  std::unordered_map<const ir::Kernel*, UserKernel> kernels_;
};

}  // namespace tessera::engine
