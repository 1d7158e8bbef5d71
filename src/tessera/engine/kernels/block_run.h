/// BlockRun: one launch of a user kernel on the host, which holds all that it needs.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

class BlockRun {
 public:
  BlockRun(std::shared_ptr<CachedKernel> kernel, LaunchArguments arguments, std::vector<Ref<runtime::Buffer>> memory,
           int64_t work)
      : kernel_(std::move(kernel)), arguments_(std::move(arguments)), memory_(std::move(memory)), work_(work) {}

  /// Runs all blocks on the engine's threads; an exception is kept for failure().
  void run() noexcept;
  const std::exception_ptr& failure() const { return failure_; }

 private:
  void run_blocks();

  std::shared_ptr<CachedKernel> kernel_;
  LaunchArguments arguments_;
  std::vector<Ref<runtime::Buffer>> memory_;
  int64_t work_;
  std::exception_ptr failure_;
};

}  // namespace tessera::engine
