/// Runs of kernels whose lanes run apart (lanes_apart.h), each on a fiber.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/ir/arguments.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

/// The shared arrays of all blocks of a launch.
class SharedRows {
 public:
  /// Of a kernel as it was before set_lanes_apart. Appends the buffers to the launch's arguments.
  SharedRows(const ir::Kernel& kernel, LaunchArguments& arguments);

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  std::unique_ptr<char, Free> memory_;
};

/// Calls run(arguments, begin, end) of six coordinates for each lane, whose barriers are those of its block.
void run_lanes_apart(
    const ir::KernelArguments& arguments,
    const std::function<void(const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end)>& run);

}  // namespace tessera::engine
