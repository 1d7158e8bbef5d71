#include "tessera/codegen/cuda_cpp/run_blocks.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/codegen/cuda_cpp/block_checks.h"

namespace tessera::codegen::cuda_cpp {

namespace {

constexpr size_t alignment = 128;
constexpr int32_t elsewhere = -3;  // the state of threads that a pass leaves as they are

size_t padded(int64_t nbytes) { return (static_cast<size_t>(nbytes) + alignment - 1) / alignment * alignment; }

bool is_of_warp(Meeting meeting) {
  return meeting == Meeting::warp || meeting == Meeting::warp_exchange || meeting == Meeting::warp_vote;
}

bool has_meeting(const KernelRecord& kernel, bool (*is)(Meeting)) {
  return std::any_of(kernel.regions, kernel.regions + kernel.region_count,
                     [&](const RegionRecord& region) { return is(region.before); });
}

/// The memory of one block, and its state.
class BlockMemory {
 public:
  BlockMemory(const KernelRecord& kernel, const HostLaunch& launch) : threads_(launch.threads()) {
    const bool waits = kernel.region_count > 1;
    const int64_t rows = (threads_ + 15) / 16 * 16;
    const int64_t kept = waits ? rows : 0;
    const int64_t warps = (threads_ + warp_size - 1) / warp_size;
    const size_t parts[] = {padded(kernel.static_shared_bytes + launch.shared_bytes + 16),
                            padded(kept * kernel.thread_bytes),
                            padded(kernel.uniform_bytes),
                            padded(kept * 4),
                            padded(kept * 8),
                            padded(waits ? warps * warp_size * 8 : 0),
                            padded(kept * 4),
                            padded(waits ? warps * 4 : 0)};
    size_t total = alignment;
    for (const size_t part : parts) total += part;
    memory_.reset(static_cast<char*>(::operator new(total, std::align_val_t(alignment))));
    char* at = memory_.get();
    auto take = [&, k = size_t{0}](auto*& to) mutable {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(at);
      at += parts[k++];
    };
    take(state_.shared), take(state_.context), take(state_.uniform), take(state_.states), take(state_.published);
    take(state_.visible), take(state_.masks), take(state_.votes);
    if (waits) std::fill(memory_.get(), at, 0);
    if (!launch.checks) return;
    checks_ = std::make_unique<BlockChecks>(kernel, launch, state_);
    state_.checks = checks_.get();
  }

  void set_block(const HostLaunch& launch, int64_t number) {
    state_.index[0] = static_cast<uint32_t>(number % launch.grid[0]);
    state_.index[1] = static_cast<uint32_t>(number / launch.grid[0] % launch.grid[1]);
    state_.index[2] = static_cast<uint32_t>(number / launch.grid[0] / launch.grid[1]);
    if (checks_) checks_->begin_block();
  }
  BlockState& state() { return state_; }
  int64_t threads() const { return threads_; }

 private:
  struct Free {
    void operator()(char* memory) const { ::operator delete(memory, std::align_val_t(alignment)); }
  };
  int64_t threads_;
  std::unique_ptr<char, Free> memory_;
  BlockState state_{};
  std::unique_ptr<BlockChecks> checks_;  // of kernels that are checked
};

/// Runs the threads of one block; a grid's barrier stops it.
class BlockRunner {
 public:
  BlockRunner(const KernelRecord& kernel, const HostLaunch& launch, BlockMemory& memory)
      : kernel_(kernel), launch_(launch), block_(memory.state()), threads_(memory.threads()) {}

  /// From the beginning. Returns whether all threads are done; they may have stopped at the grid's barrier.
  bool begin(bool meets_in_warps) {
    if (!meets_in_warps) return run_whole(0);
    std::fill(block_.states, block_.states + threads_, 0);
    return run_warps();
  }
  /// From the grid's barrier.
  bool go_on(bool meets_in_warps) { return meets_in_warps ? run_warps() : run_whole(common(0, threads_)); }

 private:
  Meeting meeting_of(int32_t state) const { return kernel_.regions[state].before; }
  bool is_at_grid(int32_t state) const { return state > 0 && meeting_of(state) == Meeting::grid; }

  /// The state of all of [first, last), or `mixed`.
  int32_t common(int64_t first, int64_t last) const {
    const int32_t* states = block_.states;
    int32_t other = 0;
    for (int64_t t = first; t < last; ++t) other |= states[t] ^ states[first];
    return other ? mixed : states[first];
  }

  /// All of [first, last) are in this state.
  int32_t run_all(int32_t state, int64_t first, int64_t last) {
    if (block_.checks) block_.checks->pass(state, first, last, true);
    const int32_t next = kernel_.regions[state].all(&launch_, &block_, first, last);
    return next == mixed ? common(first, last) : next;
  }

  void count_votes(int32_t state) {
    if (state <= 0 || meeting_of(state) != Meeting::block_vote) return;
    block_.count = block_.arrived = 0;
    for (int64_t t = 0; t < threads_; ++t) {
      block_.arrived += block_.states[t] != done;
      block_.count += block_.states[t] != done && block_.published[t] != 0;
    }
  }

  /// Where no threads meet in warps: all of them go from barrier to barrier.
  bool run_whole(int32_t state) {
    for (;;) {
      while (state >= 0) {
        count_votes_of_all(state);
        state = run_all(state, 0, threads_);
        if (state >= 0 && is_at_grid(state)) return stop_at(state);
      }
      if (state == done) return true;
      std::vector<int32_t> present = present_states(0, threads_);
      if (present.empty()) return true;
      // Those who wait for nobody go on before any barrier opens.
      const auto waits = [&](int32_t one) { return meeting_of(one) != Meeting::loop; };
      if (!std::ranges::all_of(present, waits)) std::erase_if(present, waits);
      if (block_.checks) block_.checks->open();
      for (const int32_t one : present) count_votes(one);
      run_each(present, 0, threads_, [&](int32_t one) {
        if (block_.checks) block_.checks->pass(one, 0, threads_, false);
        kernel_.regions[one].chosen(&launch_, &block_, 0, threads_);
      });
      state = common(0, threads_);
      if (state >= 0 ? is_at_grid(state) : state == mixed && all_at_grid()) return state >= 0 ? stop_at(state) : false;
    }
  }

  /// Runs the threads of [first, last) that are in each of these states now; those that arrive there meanwhile wait.
  template <class Run>
  void run_each(const std::vector<int32_t>& present, int64_t first, int64_t last, Run&& run) {
    if (present.size() == 1) return run(present[0]);
    const std::vector<int32_t> before(block_.states + first, block_.states + last);
    std::vector<int32_t> after = before;
    for (const int32_t one : present) {
      for (int64_t t = first; t < last; ++t)
        block_.states[t] = before[static_cast<size_t>(t - first)] == one ? one : elsewhere;
      run(one);
      for (int64_t t = first; t < last; ++t)
        if (before[static_cast<size_t>(t - first)] == one) after[static_cast<size_t>(t - first)] = block_.states[t];
    }
    std::copy(after.begin(), after.end(), block_.states + first);
  }

  bool stop_at(int32_t state) {
    std::fill(block_.states, block_.states + threads_, state);
    return false;
  }
  bool all_at_grid() const {
    return std::all_of(block_.states, block_.states + threads_,
                       [&](int32_t state) { return state == done || is_at_grid(state); });
  }
  void count_votes_of_all(int32_t state) {
    if (state <= 0 || meeting_of(state) != Meeting::block_vote) return;
    block_.arrived = threads_;
    block_.count =
        std::count_if(block_.published, block_.published + threads_, [](uint64_t said) { return said != 0; });
  }

  std::vector<int32_t> present_states(int64_t first, int64_t last) const {
    std::vector<int32_t> present;
    for (int64_t t = first; t < last; ++t) {
      const int32_t state = block_.states[t];
      if (state != done && std::find(present.begin(), present.end(), state) == present.end()) present.push_back(state);
    }
    return present;
  }

  /// Warps run on their own until all their threads are at a barrier of the block.
  bool run_warps() {
    for (;;) {
      for (int64_t first = 0; first < threads_; first += warp_size)
        run_warp(first, std::min(threads_, first + warp_size));
      bool is_done = true, is_stopped = true;
      for (int64_t t = 0; t < threads_; ++t) {
        is_done &= block_.states[t] == done;
        is_stopped &= block_.states[t] == done || is_at_grid(block_.states[t]);
      }
      if (block_.checks) block_.checks->open();
      if (is_done || is_stopped) return is_done;
      for (const int32_t state : present_states(0, threads_)) count_votes(state);
    }
  }

  void run_warp(int64_t first, int64_t last) {
    // What waits for the block, or for nothing, goes on now.
    std::vector<int32_t> present = present_states(first, last);
    std::erase_if(present, [&](int32_t state) { return is_of_warp(meeting_of(state)); });
    run_each(present, first, last, [&](int32_t state) { run_group(state, first, last); });
    for (;;) {
      bool has_waiting = false, has_run = false;
      for (const int32_t state : present_states(first, last)) {
        if (!is_of_warp(meeting_of(state))) continue;
        has_waiting = true;
        if (!is_complete(state, first, last)) continue;
        run_group(state, first, last);
        has_run = true;
      }
      if (!has_waiting) return;
      if (has_run) continue;
      // They wait for threads that will not come: what CUDA leaves open, as long as it ends.
      for (const int32_t state : present_states(first, last))
        if (is_of_warp(meeting_of(state))) run_group(state, first, last);
    }
  }

  uint32_t lanes_in(int32_t state, int64_t first, int64_t last) const {
    uint32_t lanes = 0;
    for (int64_t t = first; t < last; ++t) lanes |= uint32_t{block_.states[t] == state} << (t - first);
    return lanes;
  }

  /// Whether all that any of these threads waits for are here or done.
  bool is_complete(int32_t state, int64_t first, int64_t last) const {
    const uint32_t here = lanes_in(state, first, last), gone = lanes_in(done, first, last);
    const uint32_t all = last - first == warp_size ? ~0u : (1u << (last - first)) - 1;
    if (meeting_of(state) == Meeting::warp_vote && asks_who_is_here(here, first)) return true;
    for (int64_t t = first; t < last; ++t)
      if (block_.states[t] == state && (block_.masks[t] & all & ~gone & ~here)) return false;
    return true;
  }
  /// __activemask waits for none.
  bool asks_who_is_here(uint32_t here, int64_t first) const {
    return here && block_.masks[first + std::countr_zero(here)] == 0;
  }

  void run_group(int32_t state, int64_t first, int64_t last) {
    const uint32_t here = lanes_in(state, first, last);
    if (is_of_warp(meeting_of(state))) exchange(state, here, first, last);
    if (block_.checks) {
      if (is_of_warp(meeting_of(state))) block_.checks->open_in_warp(state, first, last);
      block_.checks->pass(state, first, last, false);
    }
    if (std::popcount(here) < last - first) {
      kernel_.regions[state].chosen(&launch_, &block_, first, last);
      return;
    }
    const int32_t next = kernel_.regions[state].all(&launch_, &block_, first, last);
    if (next != mixed) std::fill(block_.states + first, block_.states + last, next);
  }

  void exchange(int32_t state, uint32_t here, int64_t first, int64_t last) {
    if (meeting_of(state) == Meeting::warp) return;
    uint32_t votes = 0;
    for (int64_t t = first; t < last; ++t) {
      const uint32_t bit = 1u << (t - first);
      block_.visible[t] = here & bit ? block_.published[t] : 0;
      if (here & bit && block_.published[t]) votes |= bit;
    }
    block_.votes[first / warp_size] = votes;
  }

  const KernelRecord& kernel_;
  const HostLaunch& launch_;
  BlockState& block_;
  int64_t threads_;
};

/// All blocks stop at each barrier of the grid.
void run_together(const KernelRecord& kernel, const HostLaunch& launch, bool meets_in_warps,
                  const InParallel& in_parallel) {
  std::vector<std::unique_ptr<BlockMemory>> blocks(static_cast<size_t>(launch.blocks()));
  std::vector<uint8_t> is_done(blocks.size());
  for (size_t k = 0; k < blocks.size(); ++k) {
    blocks[k] = std::make_unique<BlockMemory>(kernel, launch);
    blocks[k]->set_block(launch, static_cast<int64_t>(k));
  }
  for (bool is_begin = true; std::find(is_done.begin(), is_done.end(), 0) != is_done.end(); is_begin = false)
    in_parallel(launch.blocks(), [&](int64_t first, int64_t last) {
      for (auto k = static_cast<size_t>(first); k < static_cast<size_t>(last); ++k) {
        if (is_done[k]) continue;
        BlockRunner runner(kernel, launch, *blocks[k]);
        is_done[k] = is_begin ? runner.begin(meets_in_warps) : runner.go_on(meets_in_warps);
      }
      const bool is_waiting = std::find(is_done.begin(), is_done.end(), 0) != is_done.end();
      for (size_t k = 0; launch.checks && is_waiting && k < is_done.size(); ++k)
        if (is_done[k]) blocks[k]->state().checks->miss_grid();
    });
}

}  // namespace

bool meets_in_grid(const KernelRecord& kernel) {
  return has_meeting(kernel, [](Meeting meeting) { return meeting == Meeting::grid; });
}

void run_launch(const KernelRecord& kernel, const HostLaunch& launch, const InParallel& in_parallel) {
  const bool meets_in_warps = has_meeting(kernel, is_of_warp);
  // One block after the other, so that what is found does not depend on the cores.
  const InParallel one_by_one = [](int64_t count, const std::function<void(int64_t, int64_t)>& piece) {
    piece(0, count);
  };
  const InParallel& spread = launch.checks ? one_by_one : in_parallel;
  if (meets_in_grid(kernel)) return run_together(kernel, launch, meets_in_warps, spread);
  spread(launch.blocks(), [&](int64_t first, int64_t last) {
    BlockMemory memory(kernel, launch);
    BlockRunner runner(kernel, launch, memory);
    for (int64_t block = first; block < last; ++block) {
      memory.set_block(launch, block);
      if (kernel.region_count == 1) {
        kernel.regions[0].all(&launch, &memory.state(), 0, launch.threads());
        continue;
      }
      runner.begin(meets_in_warps);
    }
  });
}

}  // namespace tessera::codegen::cuda_cpp
