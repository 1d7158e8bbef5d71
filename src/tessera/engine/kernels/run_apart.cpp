#include "tessera/engine/kernels/run_apart.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/kernels/launch_axes.h"
#include "tessera/runtime/host/fibers.h"

namespace tessera::engine {

namespace {

constexpr int64_t alignment = 64;

int64_t meet_block(void* meeting, uint32_t, const int64_t*) {
  static_cast<runtime::Meeting*>(meeting)->meet();
  return 0;
}

}  // namespace

void SharedRows::Free::operator()(char* memory) const { std::free(memory); }

SharedRows::SharedRows(const ir::Kernel& kernel, LaunchArguments& arguments) {
  const auto rounded = [](int64_t nbytes) { return (nbytes + alignment - 1) / alignment * alignment; };
  int64_t blocks = 1, row = 0;
  for (size_t axis = 0; axis < grid_axes; ++axis) blocks *= arguments.extents[axis];
  std::vector<int64_t> begins;
  for (const ir::ArrayDecl& array : kernel.arrays) {
    begins.push_back(row);
    if (array.shared) row += rounded(array.size * itemsize(array.dtype));
  }
  const int64_t dynamic = row;  // where all dynamic arrays begin
  row += rounded(arguments.shared_bytes);
  // Pages are the system's until a block uses them.
  memory_.reset(
      static_cast<char*>(std::aligned_alloc(alignment, static_cast<size_t>(std::max(row * blocks, alignment)))));
  require<OutOfMemory>(memory_ != nullptr, "launch of {}: no memory for the shared arrays of {} blocks", kernel.name,
                       blocks);
  for (size_t k = 0; k < kernel.arrays.size(); ++k) {
    const ir::ArrayDecl& array = kernel.arrays[k];
    if (!array.shared) continue;
    const int64_t size = itemsize(array.dtype);
    arguments.buffers.push_back(memory_.get() + (array.is_dynamic() ? dynamic : begins[k]));
    arguments.strides.insert(arguments.strides.end(), {row, size});
    arguments.dimensions.insert(arguments.dimensions.end(),
                                {blocks, array.is_dynamic() ? arguments.shared_bytes / size : array.size});
  }
}

void run_lanes_apart(
    const ir::KernelArguments& arguments,
    const std::function<void(const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end)>& run) {
  int64_t blocks = 1, threads = 1;
  for (size_t axis = 0; axis < all_axes; ++axis) (axis < grid_axes ? blocks : threads) *= arguments.extents[axis];
  std::deque<runtime::Meeting> meetings;
  for (int64_t block = 0; block < blocks; ++block) meetings.emplace_back(threads);
  auto lane = [&](int64_t k, int64_t) {
    runtime::Meeting& meeting = meetings[static_cast<size_t>(k / threads)];
    struct Leave {
      runtime::Meeting& meeting;
      ~Leave() { meeting.leave(); }
    } const leave{meeting};
    ir::KernelArguments own = arguments;
    own.host = meet_block;
    own.host_context = &meeting;
    std::array<int64_t, all_axes> begin{}, end{};
    for (size_t axis = all_axes; axis-- > 0; k /= arguments.extents[axis]) {
      begin[axis] = k % arguments.extents[axis];
      end[axis] = begin[axis] + 1;
    }
    run(own, begin.data(), end.data());
  };
  runtime::run_fibers(blocks * threads, lane);
}

}  // namespace tessera::engine
