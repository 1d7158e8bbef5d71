#include "tessera/engine/device/launch/device_kernels.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/base/hash.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/limits.h"
#include "tessera/engine/source/linked_code.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using codegen::Compiler;
using codegen::DeviceMapping;

namespace {

constexpr const char* entry = "tessera_kernel";

bool is_same(const WantedKernel& a, const WantedKernel& b) {
  const auto are_same = [](const ir::Kernel& x, const ir::Kernel& y) { return &x == &y || x == y; };
  return a.mapping == b.mapping && are_same(*a.kernel, *b.kernel) &&
         (!a.mapped || are_same(a.mapped->kernel, b.mapped->kernel));
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string text_of(const ir::Kernel& kernel, const DeviceMapping& mapping) {
  std::string text = ir::print(kernel);
  for (const auto& epilogue : mapping.epilogue.kernels) text += ir::print(*epilogue);
  return text;
}

std::string cache_key(const ir::Kernel& kernel, const DeviceMapping& mapping, const Compiler& compiler,
                      const runtime::Device& device) {
  const std::string text = text_of(kernel, mapping);
  return format(
             "{}\ncapability {} driver {} unroll {} team {} threads {} registers {} slices {} disjoint {} narrow {} "
             "double-buffered {} "
             "exact {} mapped {} fast-compile {}\n{} {}\n",
             compiler.target(), mapping.capability, device.facts().driver_version, mapping.unroll, mapping.team,
             mapping.threads, mapping.registers, mapping.slices, mapping.disjoint, mapping.narrow,
             mapping.double_buffered, mapping.exact_grid, mapping.mapped, mapping.fast_compile,
             ir::structural_hash(kernel), Hash().add(std::string_view(text)).value()) +
         text;
}

/// The epilogue kernels of a kernel, each as a launch of its own: fast-compile variants have no epilogue. All use one
/// team size, so that the epilogue of one expression's reductions also serves another's.
std::vector<WantedKernel> next_of(const WantedKernel& wanted) {
  std::vector<WantedKernel> next;
  for (const std::shared_ptr<const ir::Kernel>& kernel : wanted.mapping.epilogue.kernels) {
    const DeviceMapping mapping{.capability = wanted.mapping.capability,
                                .team = can_share_reductions(*kernel) ? MappingLimits::epilogue_team : 1};
    next.push_back({.hash = ir::structural_hash(*kernel),
                    .kernel = kernel,
                    .mapping = mapping,
                    .may_compile_fast = can_compile_fast(*kernel)});
  }
  return next;
}

}  // namespace

DeviceKernel* DeviceKernels::find(const WantedKernel& wanted) const {
  const auto [first, last] = kernels_.equal_range(wanted.hash);
  for (auto at = first; at != last; ++at)
    if (is_same(at->second->wanted, wanted)) return at->second.get();
  return nullptr;
}

bool DeviceKernels::is_known(const WantedKernel& wanted) const {
  const DeviceKernel* known = find(wanted);
  return known && !known->is_tried_again;
}

AssembledKernel* DeviceKernels::find_pending(const WantedKernel& wanted) const {
  const auto [first, last] = pending_.equal_range(wanted.hash);
  for (auto at = first; at != last; ++at)
    if (is_same(at->second.wanted, wanted)) return at->second.assembled.get();
  return nullptr;
}

DeviceKernel& DeviceKernels::find_or_compile(const WantedKernel& wanted, Compiler* compiler) {
  if (DeviceKernel* known = find(wanted)) return *known;
  compile(std::span(&wanted, 1), compiler);
  return *find(wanted);
}

void DeviceKernels::compile(std::span<const WantedKernel> wanted, Compiler* compiler) {
  const profile::InRow row(profile::Row::compiling);
  struct Job {
    const WantedKernel* wanted;
    AssembledKernel* assembled;
  };
  std::vector<Job> jobs;
  std::vector<std::unique_ptr<AssembledKernel>> made;
  std::vector<WantedKernel> all(wanted.begin(), wanted.end());
  for (const WantedKernel& one : wanted) {
    if (DeviceKernel* known = find(one); known && !known->program) known->is_tried_again = known->retry.is_due();
    if (!one.may_compile_fast || is_known(one)) continue;
    for (WantedKernel& next : next_of(one)) all.push_back(std::move(next));
  }
  for (const WantedKernel& one : all) {
    const bool is_asked =
        std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return is_same(*job.wanted, one); });
    if (is_asked || is_known(one)) continue;
    AssembledKernel* pending = find_pending(one);
    const bool is_there = pending && pending->is_done.load(std::memory_order_acquire) && !pending->code.empty();
    if (!is_there) pending = made.emplace_back(std::make_unique<AssembledKernel>()).get();
    jobs.push_back({&one, pending});
  }
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      if (!jobs[k].assembled->is_done) assemble_first(device_, *jobs[k].wanted, compiler, *jobs[k].assembled);
  };
  runtime::parallel_for(static_cast<int64_t>(jobs.size()), 1, body);
  for (const Job& job : jobs) load(*job.wanted, *job.assembled, compiler);
  for (const Job& job : jobs) add_next(*job.wanted, compiler);
}

void DeviceKernels::add_next(const WantedKernel& wanted, Compiler* compiler) {
  DeviceKernel& kernel = *find(wanted);
  if (wanted.mapping.epilogue == kernel.mapping.epilogue || !kernel.program) return;
  for (const WantedKernel& next : next_of(wanted)) {
    kernel.next.push_back(&find_or_compile(next, compiler));
    if (!kernel.next.back()->program) kernel.program = nullptr;
  }
}

/// Where the bound on registers makes threads keep many values in memory, the program without it. A few cost less than
/// threads that wait for room.
std::shared_ptr<runtime::Program> DeviceKernels::without_spills(std::shared_ptr<runtime::Program> program,
                                                                const WantedKernel& wanted, Compiler* compiler) {
  if (wanted.mapping.registers == 0 || program->local_bytes() <= MappingLimits::few_local_bytes) return program;
  DeviceMapping mapping = wanted.mapping;
  mapping.registers = 0;
  AssembledKernel unbound;
  assemble(device_, wanted.optimised(), mapping, compiler, unbound);
  if (unbound.code.empty()) return program;
  std::shared_ptr<runtime::Program> other = device_.load(unbound.code, entry);
  return other->local_bytes() + MappingLimits::few_local_bytes < program->local_bytes() ? other : program;
}

void DeviceKernels::load(const WantedKernel& wanted, const AssembledKernel& assembled, Compiler* compiler) {
  DeviceKernel made{.wanted = wanted, .mapping = assembled.mapping};
  // A kernel without a program runs on the host; `doctor` and tests read the reason.
  made.failure = assembled.failure;
  try {
    if (!assembled.code.empty()) made.program = without_spills(device_.load(assembled.code, entry), wanted, compiler);
    if (const int carveout = wanted.kernel->device.carveout; carveout >= 0 && made.program)
      made.program->set_attribute(runtime::ProgramAttribute::shared_memory_carveout, carveout);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception&) {
    made.failure = std::current_exception();
  }
  if (made.failure) problem_ = text_of(made.failure);
  made.is_settled = !made.program || made.mapping == wanted.mapping;
  if (DeviceKernel* failed = find(wanted)) {
    made.retry = failed->retry;
    *failed = std::move(made);
  } else {
    kernels_.emplace(wanted.hash, std::make_unique<DeviceKernel>(std::move(made)));
  }
}

/// A launch counts as elements, too.
void DeviceKernels::advance(DeviceKernel& kernel, int64_t elements) {
  if (kernel.is_settled) return;
  kernel.work += elements + DeviceCompileLimits::work_a_launch;
  if (!kernel.better) {
    if (kernel.work < DeviceCompileLimits::enough_work) return;
    kernel.better = std::make_shared<AssembledKernel>();
    wishes_.push_back(&kernel);
    return;
  }
  kernel.better->work.store(kernel.work, std::memory_order_relaxed);
  if (!kernel.better->is_done.load(std::memory_order_acquire)) return;
  kernel.is_settled = true;
  const std::shared_ptr<AssembledKernel> better = std::move(kernel.better);
  if (better->failure) problem_ = text_of(better->failure);
  if (better->code.empty()) return;
  try {
    kernel.retired = std::exchange(kernel.program, device_.load(better->code, entry));
    kernel.mapping = kernel.wanted.mapping;
    profile::add(profile::Counter::device_kernels_renewed);
  } catch (const std::exception& error) {  // the fast-compile program remains in use
    problem_ = error.what();
  }
}

/// The kernels of a loop wait for each other's programs, so they are compiled in parallel, by threads of their own,
/// which do not keep the threads that compute from running.
void DeviceKernels::make_better(Compiler* compiler) {
  make_in_background(compiler);
  {
    std::lock_guard lock(queue_->mutex);
    for (const DeviceKernel* kernel : wishes_) queue_->waiting.push_back({kernel->wanted, kernel->better});
  }
  for (size_t k = 0; k < wishes_.size(); ++k) {
    runtime::run_concurrently([queue = queue_, compiler, &device = device_] {
      const Pending next = take_most_wanted(*queue);
      assemble(device, next.wanted.optimised(), next.wanted.mapping, compiler, *next.assembled);
      next.assembled->is_done.store(true, std::memory_order_release);
    });
  }
  wishes_.clear();
}

DeviceKernels::Pending DeviceKernels::take_most_wanted(Queue& queue) {
  std::lock_guard lock(queue.mutex);
  const auto work_of = [](const Pending& pending) { return pending.assembled->work.load(std::memory_order_relaxed); };
  const auto most = std::ranges::max_element(queue.waiting, {}, work_of);
  Pending taken = std::move(*most);
  queue.waiting.erase(most);
  return taken;
}

bool DeviceKernels::is_ready(const WantedKernel& wanted, Compiler* compiler, Making making) {
  if (device_.takes_ir() || find(wanted)) return true;
  bool is_next_ready = true;
  if (wanted.may_compile_fast)
    for (const WantedKernel& next : next_of(wanted)) is_next_ready &= is_ready(next, compiler, making);
  if (AssembledKernel* pending = find_pending(wanted))
    return is_next_ready && pending->is_done.load(std::memory_order_acquire);
  if (making == Making::never || !compiler) return false;
  auto assembled = std::make_shared<AssembledKernel>();
  pending_.emplace(wanted.hash, Pending{wanted, assembled});
  begun_.push_back({wanted, std::move(assembled)});
  if (making == Making::now) make_in_background(compiler);
  return false;
}

void DeviceKernels::make_in_background(Compiler* compiler) {
  for (Pending& pending : std::exchange(begun_, {})) {
    if (find(pending.wanted)) continue;  // compiled meanwhile because a run needed it
    runtime::run_concurrently([pending = std::move(pending), compiler, &device = device_] {
      assemble_first(device, pending.wanted, compiler, *pending.assembled);
      pending.assembled->is_done.store(true, std::memory_order_release);
    });
  }
}

/// The optimised variant if it is on disk; else the fast-compile variant, if there is one and it compiles.
void DeviceKernels::assemble_first(runtime::Device& device, const WantedKernel& wanted, Compiler* compiler,
                                   AssembledKernel& result) {
  // A simulated device compiles nothing: it runs the mapped kernel, as a GPU does once that is compiled.
  const bool is_mapped_anyway = wanted.mapped && device.takes_ir();
  if (!is_mapped_anyway && (wanted.may_compile_fast || wanted.short_text)) {
    const bool has_disk = compiler && !device.takes_ir();
    if (std::optional<std::string> code =
            has_disk ? compiler->find_object(cache_key(wanted.optimised(), wanted.mapping, *compiler, device))
                     : std::nullopt) {
      profile::add(profile::Counter::object_cache_hits);
      result.mapping = wanted.mapping;
      result.code = *std::move(code);
      return;
    }
    if (wanted.short_text)
      assemble(device, *wanted.short_text,
               {.capability = wanted.mapping.capability, .threads = wanted.mapping.threads, .fast_compile = true},
               compiler, result);
    else
      assemble(device, *wanted.kernel, fast_compile_mapping(*wanted.kernel, wanted.mapping), compiler, result);
    if (!result.code.empty()) return;
  }
  assemble(device, wanted.optimised(), wanted.mapping, compiler, result);
}

/// Compiles to machine code, or reads it from the disk.
void DeviceKernels::assemble(runtime::Device& device, const ir::Kernel& kernel, const DeviceMapping& mapping,
                             Compiler* compiler, AssembledKernel& result) {
  result.mapping = mapping;
  try {
    require<RuntimeError>(!faults::fails(faults::Fault::compilation), "compiling a kernel failed");
    if (device.takes_ir()) {
      result.code = text_of(kernel, mapping);
      return;
    }
    require<RuntimeError>(compiler != nullptr, "there is no compiler on this machine");
    const std::string key = cache_key(kernel, mapping, *compiler, device);
    if (std::optional<std::string> code = compiler->find_object(key)) {
      profile::add(profile::Counter::object_cache_hits);
      result.code = *std::move(code);
      return;
    }
    const profile::Range range("compile a kernel");
    constexpr int quick = 1;  // for code that is soon replaced
    const int optimization = mapping.fast_compile ? quick : kernel.device.optimization;
    std::string ptx = compiler->compile_ptx(kernel, mapping);
    const bool is_linked = kernel.linked || !kernel.foreign.empty();
    const library::LinkOptions options{
        .capability = device.facts().capability, .optimization = optimization, .device = &device};
    result.code =
        is_linked ? link_kernel(kernel, std::move(ptx), mapping.threads, options) : device.assemble(ptx, optimization);
    profile::add(profile::Counter::device_kernels_compiled);
    compiler->store_object(key, result.code);
  } catch (const std::exception&) {
    result.failure = std::current_exception();
  }
}

}  // namespace tessera::engine
