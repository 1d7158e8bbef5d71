#include "tessera/runtime/cuda/cuda_replay.h"

#include <algorithm>

namespace tessera::runtime::cuda {

void CudaReplay::rewrite(void* function, const Grid& grid, std::span<const char> parameters) {
  if (rewritten_ >= launches_.size()) return;
  LaunchNode& launch = launches_[rewritten_];
  if (!launch.node || launch.function != function || launch.grid != grid) return;
  if (!std::equal(parameters.begin(), parameters.end(), launch.parameters.begin(), launch.parameters.end())) {
    launch.parameters.assign(parameters.begin(), parameters.end());
    void* arguments[] = {launch.parameters.data()};
    KernelNode node{.function = function, .shared_bytes = grid.shared_bytes, .arguments = arguments};
    std::copy(grid.blocks.begin(), grid.blocks.end(), node.blocks);
    std::copy(grid.threads.begin(), grid.threads.end(), node.threads);
    if (driver_.graph_set_kernel(ready_, launch.node, &node) != success) return;
  }
  ++rewritten_;
}

}  // namespace tessera::runtime::cuda
