#include "tessera/engine/kernels/block_run.h"

#include <algorithm>

#include "tessera/engine/kernels/access_check.h"
#include "tessera/engine/kernels/run_apart.h"
#include "tessera/engine/kernels/waiting_lanes.h"
#include "tessera/engine/support/limits.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

void BlockRun::run() noexcept {
  try {
    run_blocks();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

/// Threads share the longest of the grid's three axes.
void BlockRun::run_blocks() {
  const std::array<int64_t, 6>& extents = arguments_.extents;
  const ir::KernelArguments arguments{.buffers = arguments_.buffers.data(),
                                      .strides = arguments_.strides.data(),
                                      .dimensions = arguments_.dimensions.data(),
                                      .scalars = reinterpret_cast<const char*>(arguments_.scalars.data()),
                                      .extents = extents.data(),
                                      .flags = nullptr,
                                      .shared_bytes = arguments_.shared_bytes,
                                      .host = arguments_.check ? AccessCheck::answer : nullptr,
                                      .host_context = arguments_.check ? arguments_.check->context() : nullptr,
                                      .wait_for = wait_for_others};
  const auto run_with = [&](const ir::KernelArguments& given, const int64_t* begin, const int64_t* end) {
    const ir::KernelEntry entry = kernel_->entry.load(std::memory_order_acquire);
    profile::add(entry ? profile::Counter::kernels_native : profile::Counter::kernels_interpreted);
    if (entry)
      entry(&given, begin, end);
    else
      kernel_->program->run(given, begin, end);
  };
  const auto run_box = [&](const int64_t* begin, const int64_t* end) { run_with(arguments, begin, end); };
  if (arguments_.shared) return run_lanes_apart(arguments, run_with);
  if (arguments_.check) arguments_.check->begin(*kernel_->kernel, arguments_);
  if (kernel_->waits_for_others) return run_waiting(*kernel_->kernel, extents.data(), run_box);
  constexpr std::array<int64_t, 6> first{};
  if (arguments_.check) {
    const bool is_compiled = kernel_->entry.load(std::memory_order_acquire) != nullptr;
    return arguments_.check->run(is_compiled, [&] { run_box(first.data(), extents.data()); });
  }
  const auto longest = static_cast<size_t>(std::max_element(extents.begin(), extents.begin() + 3) - extents.begin());
  const int64_t length = extents[longest];
  const int64_t grain = std::max<int64_t>(1, length * HostLimits::work_for_threads / std::max<int64_t>(1, work_));
  int64_t lanes_each = 1;  // of one step along the longest axis
  for (size_t axis = 0; axis < extents.size(); ++axis) lanes_each *= axis == longest ? 1 : extents[axis];
  auto piece = [&](int64_t from, int64_t to) {
    std::array<int64_t, 6> begin{}, end = extents;
    begin[longest] = from;
    end[longest] = to;
    run_box(begin.data(), end.data());
    if (profile::counts_progress()) [[unlikely]]
      profile::add_progress(lanes_each * (to - from));
  };
  runtime::parallel_for(length, grain, piece);
}

}  // namespace tessera::engine
