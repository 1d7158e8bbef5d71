#include "tessera/engine/host/runner.h"

#include <algorithm>
#include <utility>

#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/kernels/block_run.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::engine {

using graph::Version;
using runtime::HostStream;

namespace {

/// Gives the versions that the plan makes their memory, which is in use until `ticket`.
void settle(const BoundPlan& bound, const plan::Request& request, Launch& launch, uint64_t ticket) {
  if (bound.large) note_large_results(bound.plan, request);
  for (int i = 0, count = request.size(); i < count; ++i) {
    Version& out = *request.node(i).out;
    out.window = nullptr;
    out.ticket = ticket;
    const int32_t slot = bound.plan.result_slots[i];
    if (slot >= 0) eager::set_buffer(out, launch.buffer(slot));
  }
}

void report_all(RunWindow& window, const std::vector<uint32_t>& flags, auto watch_of) {
  for (size_t k = 0; k < flags.size(); ++k) {
    if (flags[k]) [[unlikely]]
      window.report(watch_of(k), flags[k]);
  }
}

}  // namespace

Runner::~Runner() { HostStream::instance().wait_all(); }

/// A launch object for the calling thread: while one thread has released the lock, others may run launches too.
class Runner::Borrowed {
 public:
  explicit Borrowed(Runner& runner) : runner_(runner) {
    if (runner.spare_.empty()) runner.spare_.push_back(std::make_unique<Launch>());
    launch_ = std::move(runner.spare_.back());
    runner.spare_.pop_back();
  }
  ~Borrowed() {
    launch_->clear();
    runner_.spare_.push_back(std::move(launch_));
  }
  Launch& operator*() { return *launch_; }

 private:
  Runner& runner_;
  std::unique_ptr<Launch> launch_;
};

/// Copies operands from devices to the host, with the caller's lock released.
void Runner::bring_operands_home(const plan::Plan& plan, const plan::Request& request) {
  for (const plan::Slot& slot : plan.slots) {
    if (slot.external.node < 0) continue;
    Version& version = version_at(request, slot.external);
    if (!version.data) copy_to_host(version, hooks_);
  }
}

void Runner::run(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, RunWindow& window,
                 const Elsewhere& elsewhere) {
  bring_operands_home(bound->plan, request);
  HostStream::instance().wait_all();
  collect_quietly();
  check_operands(bound->plan, request);
  Borrowed borrowed(*this);
  Launch& launch = *borrowed;
  launch.begin(bound, request);
  for (size_t k = 0; k < launch.steps(); ++k) {
    kernels_.prepare(bound->steps[k].kernel, bound->plan.steps[k].kernel.work);
    launch.bind(k, request);
  }
  window.has_begun = true;
  for (size_t k = 0; k < launch.steps();) {
    size_t next = k + 1;
    if (!elsewhere || !launch.run_elsewhere(k, elsewhere)) {
      Unlocked unlocked(hooks_,
                        bound->steps[k].wave >= 0 || bound->plan.steps[k].kernel.work >= HostLimits::work_for_unlock);
      const profile::InRow row(profile::Row::running);
      next = launch.run(k);
    }
    for (; k < next; ++k) {
      for (int32_t block : bound->plan.steps[k].drop) launch.drop(block);
    }
  }
  report_all(window, launch.flags(), [&](size_t k) { return Watch(request.node(bound->flag_nodes[k])); });
  settle(*bound, request, launch, HostStream::instance().submitted());
}

bool Runner::may_start(const BoundPlan& bound) { return bound.light && HostStream::instance().available(); }

Runner::Started& Runner::next_entry() {
  HostStream& stream = HostStream::instance();
  const uint64_t ticket = stream.submitted() + 1;
  // The previous launch of this slot must be done.
  if (ticket > started_.size()) stream.wait(ticket - started_.size());
  collect_quietly();
  return started_[ticket % started_.size()];
}

uint64_t Runner::start(std::shared_ptr<BlockRun> launch) {
  Started& started = next_entry();
  started.blocks = std::move(launch);
  started.runner = this;
  return HostStream::instance().submit(
      [](void* argument) noexcept {
        auto& started = *static_cast<Started*>(argument);
        started.blocks->run();
        if (started.blocks->failure()) started.runner->events_seen_.store(true, std::memory_order_relaxed);
      },
      &started);
}

uint64_t Runner::start(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, RunWindow& window) {
  bring_operands_home(bound->plan, request);
  check_operands(bound->plan, request);
  HostStream& stream = HostStream::instance();
  const uint64_t ticket = stream.submitted() + 1;
  Started& started = next_entry();
  started.window = &window;
  started.runner = this;
  Launch& launch = started.launch;
  try {
    launch.begin(bound, request);
    for (size_t k = 0; k < launch.steps(); ++k) {
      kernels_.prepare(bound->steps[k].kernel, bound->plan.steps[k].kernel.work);
      launch.bind(k, request);
    }
  } catch (...) {
    launch.clear();
    started.window = nullptr;
    throw;
  }
  for (int32_t node : bound->flag_nodes) started.watches.emplace_back(request.node(node));
  settle(*bound, request, launch, ticket);
  stream.submit(
      [](void* argument) noexcept {
        auto& started = *static_cast<Started*>(argument);
        started.launch.run_all();
        const std::vector<uint32_t>& flags = started.launch.flags();
        const bool seen = std::any_of(flags.begin(), flags.end(), [](uint32_t flag) { return flag != 0; });
        if (seen || started.launch.failed()) started.runner->events_seen_.store(true, std::memory_order_relaxed);
      },
      &started);
  return ticket;
}

void Runner::wait(const Version& version) {
  if (version.ticket > Version::finished->load(std::memory_order_acquire)) {
    HostStream::instance().wait(version.ticket);
    collect_quietly();
  }
  if (kernel_failure_) [[unlikely]]
    collect();
  if (!spoiled_.empty()) [[unlikely]]
    check(version);
}

void Runner::check(const Version& version) {
  const auto* memory = eager::buffer_of(version);
  for (const Spoiled& spoiled : spoiled_)
    if (memory && spoiled.memory.get() == memory) std::rethrow_exception(spoiled.error);
}

void Runner::check_operands(const plan::Plan& plan, const plan::Request& request) {
  if (spoiled_.empty()) [[likely]]
    return;
  for (const plan::Slot& slot : plan.slots)
    if (slot.external.node >= 0) check(version_at(request, slot.external));
}

void Runner::wait_all() {
  HostStream::instance().wait_all();
  collect();
}

void Runner::collect() {
  collect_quietly();
  if (kernel_failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(kernel_failure_, nullptr));
}

void Runner::collect_quietly() {
  // Cleared first, so that work that finishes from now on sets it again.
  events_seen_.store(false, std::memory_order_relaxed);
  const uint64_t finished = HostStream::instance().finished().load(std::memory_order_acquire);
  while (collected_ < finished) {
    Started& started = started_[++collected_ % started_.size()];
    if (const std::shared_ptr<BlockRun> blocks = std::move(started.blocks)) {
      if (blocks->failure()) kernel_failure_ = blocks->failure();
      continue;
    }
    if (!started.window) continue;
    report_all(*started.window, started.launch.flags(), [&](size_t k) { return started.watches[k]; });
    started.watches.clear();
    started.window = nullptr;
    std::vector<Ref<runtime::Buffer>> written;
    if (started.launch.failed()) [[unlikely]]
      written = started.launch.written();
    // Who reads what it was to write hears of the failure, and nobody else.
    if (const auto thrown = started.launch.clear()) {
      std::erase_if(spoiled_, [](const Spoiled& spoiled) { return spoiled.memory->references() == 1; });
      for (Ref<runtime::Buffer>& memory : written) spoiled_.push_back({std::move(memory), thrown});
    }
  }
}

}  // namespace tessera::engine
