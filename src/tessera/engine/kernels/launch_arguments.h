/// LaunchArguments: what a user kernel gets, and what its variant may rely on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/graph/array.h"

namespace tessera::runtime {
class Device;
class Program;
}  // namespace tessera::runtime

namespace tessera::engine {

class AccessCheck;
class SharedRows;

/// The arguments of one launch, in the layout of ir::KernelArguments.
struct LaunchArguments {
  std::vector<char*> buffers;
  std::vector<int64_t> strides, dimensions;
  std::vector<int64_t> scalars;  // two words each
  std::array<int64_t, 6> extents{};
  int64_t shared_bytes = 0;
  AccessCheck* check = nullptr;
  std::shared_ptr<const SharedRows> shared{};  // of a kernel whose lanes run apart
};

/// Throws where CUDA would refuse the launch, naming the limit; a block may have `most_shared` bytes of shared memory.
void check_shape(const ir::Kernel& kernel, const LaunchShape& shape, int64_t most_shared);
/// The same for a kernel that declares so many bytes of shared memory itself.
void check_shape(std::string_view name, int64_t static_bytes, const LaunchShape& shape, int64_t most_shared);
/// Throws where blocks that wait for each other do not all run at a time.
void check_meets(std::string_view name, const runtime::Program& program, const LaunchShape& shape,
                 const runtime::Device& device);
/// The blocks of so many threads and bytes of dynamic shared memory that run at a time.
int64_t resident_blocks(const runtime::Program& program, int64_t threads, int64_t shared_bytes,
                        const runtime::Device& device);
/// Throws where the arrays or scalars are not what the kernel takes, or where it would write what is read-only.
void check_operands(const ir::Kernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                    std::span<const Scalar> scalars);

/// `memory` is the first byte of each array's storage.
LaunchArguments make_arguments(const LaunchShape& shape, std::span<const Array> arrays, std::span<const Scalar> scalars,
                               std::span<char* const> memory);
/// What is true of these arrays.
LaunchLayout layout_of(const ir::Kernel& kernel, std::span<const Array> arrays, std::span<char* const> memory);
/// The same of views of memory that begins there.
LaunchLayout layout_of(const ir::Kernel& kernel, std::span<const View> views, std::span<char* const> memory);

}  // namespace tessera::engine
