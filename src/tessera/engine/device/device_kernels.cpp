#include "tessera/engine/device/device_kernels.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using codegen::Compiler;
using codegen::DeviceForm;

namespace {

constexpr const char* entry = "tessera_kernel";

bool is_same(const WantedKernel& a, const WantedKernel& b) { return a.form == b.form && *a.kernel == *b.kernel; }

std::string text_of(const ir::Kernel& kernel, const DeviceForm& form) {
  std::string text = ir::print(kernel);
  for (const auto& following : form.following.kernels) text += ir::print(*following);
  return text;
}

std::string print_places(const DeviceForm& form) {
  std::string text;
  for (const codegen::PlaceIn& place : form.places) text += format(" {}:{}:{}", place.buffer, place.rows, place.lanes);
  return text;
}

std::string cache_key(const ir::Kernel& kernel, const DeviceForm& form, const Compiler& compiler,
                      const runtime::Device& device) {
  const std::string text = text_of(kernel, form);
  return format(
             "{}\nsm_{} driver {} width {} copies {} team {} threads {} slices {} disjoint {} crossed {} {} {} {} flat "
             "{} narrow {} ahead {} "
             "rows {}{} lean {}\n{} {}\n",
             compiler.target(), form.capability, device.facts().driver_version, form.width, form.copies, form.team,
             form.threads, form.slices, form.disjoint, form.crossed, form.cross_axis, form.short_axis,
             form.short_extent, form.flat, form.narrow, form.ahead, form.rows, print_places(form), form.lean,
             ir::structural_hash(kernel), Hash().add(std::string_view(text)).value()) +
         text;
}

/// What follows in the launch of a kernel, by itself: lean forms have nothing that follows. One team for all, so that
/// what joins one expression's folds joins another's.
std::vector<WantedKernel> next_of(const WantedKernel& wanted) {
  constexpr int team = 512;
  std::vector<WantedKernel> next;
  for (const std::shared_ptr<const ir::Kernel>& kernel : wanted.form.following.kernels) {
    const DeviceForm form{.capability = wanted.form.capability, .team = can_share_folds(*kernel) ? team : 1};
    next.push_back(
        {.hash = ir::structural_hash(*kernel), .kernel = kernel, .form = form, .may_be_lean = has_lean_form(*kernel)});
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

AssembledKernel* DeviceKernels::find_ahead(const WantedKernel& wanted) const {
  const auto [first, last] = ahead_.equal_range(wanted.hash);
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
  struct Job {
    const WantedKernel* wanted;
    AssembledKernel* assembled;
  };
  std::vector<Job> jobs;
  std::vector<std::unique_ptr<AssembledKernel>> made;
  std::vector<WantedKernel> all(wanted.begin(), wanted.end());
  for (const WantedKernel& one : wanted) {
    if (!one.may_be_lean || find(one)) continue;
    for (WantedKernel& next : next_of(one)) all.push_back(std::move(next));
  }
  for (const WantedKernel& one : all) {
    const bool is_asked =
        std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return is_same(*job.wanted, one); });
    if (is_asked || find(one)) continue;
    AssembledKernel* ahead = find_ahead(one);
    const bool is_there = ahead && ahead->is_done.load(std::memory_order_acquire) && !ahead->code.empty();
    if (!is_there) ahead = made.emplace_back(std::make_unique<AssembledKernel>()).get();
    jobs.push_back({&one, ahead});
  }
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      if (!jobs[k].assembled->is_done) assemble_first(device_, *jobs[k].wanted, compiler, *jobs[k].assembled);
  };
  runtime::parallel_for(static_cast<int64_t>(jobs.size()), 1, body);
  for (const Job& job : jobs) load(*job.wanted, *job.assembled);
  for (const Job& job : jobs) add_next(*job.wanted, compiler);
}

void DeviceKernels::add_next(const WantedKernel& wanted, Compiler* compiler) {
  DeviceKernel& kernel = *find(wanted);
  if (wanted.form.following == kernel.form.following || !kernel.program) return;
  for (const WantedKernel& next : next_of(wanted)) {
    kernel.next.push_back(&find_or_compile(next, compiler));
    if (!kernel.next.back()->program) kernel.program = nullptr;
  }
}

void DeviceKernels::load(const WantedKernel& wanted, const AssembledKernel& assembled) {
  auto made = std::make_unique<DeviceKernel>(DeviceKernel{.wanted = wanted, .form = assembled.form});
  // The host serves a kernel that has no program; `doctor` and tests read the reason.
  if (!assembled.problem.empty()) problem_ = assembled.problem;
  try {
    if (!assembled.code.empty()) made->program = device_.load(assembled.code, entry);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  made->is_settled = !made->program || made->form == wanted.form;
  kernels_.emplace(wanted.hash, std::move(made));
}

/// A launch costs as much as some elements do. Making the better program takes 50 to 100 ms of one core.
void DeviceKernels::advance(DeviceKernel& kernel, int64_t elements) {
  constexpr int64_t launch = 100'000;
  if (kernel.is_settled) return;
  kernel.work += elements + launch;
  if (!kernel.better) {
    if (kernel.work < enough_work) return;
    kernel.better = std::make_shared<AssembledKernel>();
    wishes_.push_back(&kernel);
    return;
  }
  kernel.better->work.store(kernel.work, std::memory_order_relaxed);
  if (!kernel.better->is_done.load(std::memory_order_acquire)) return;
  kernel.is_settled = true;
  const std::shared_ptr<AssembledKernel> better = std::move(kernel.better);
  if (!better->problem.empty()) problem_ = better->problem;
  if (better->code.empty()) return;
  try {
    kernel.retired = std::exchange(kernel.program, device_.load(better->code, entry));
    kernel.form = kernel.wanted.form;
    profile::add(profile::Counter::device_kernels_renewed);
  } catch (const std::exception& error) {  // the lean program goes on serving
    problem_ = error.what();
  }
}

/// The kernels of a loop wait for each other's programs, so they are made beside each other, by threads of their own:
/// those that compute for the program are not kept from it.
void DeviceKernels::make_better(Compiler* compiler) {
  make_ahead(compiler);
  {
    std::lock_guard lock(queue_->mutex);
    for (const DeviceKernel* kernel : wishes_) queue_->waiting.push_back({kernel->wanted, kernel->better});
  }
  for (size_t k = 0; k < wishes_.size(); ++k) {
    runtime::run_beside([queue = queue_, compiler, &device = device_] {
      const Ahead next = take_most_wanted(*queue);
      assemble(device, *next.wanted.kernel, next.wanted.form, compiler, *next.assembled);
      next.assembled->is_done.store(true, std::memory_order_release);
    });
  }
  wishes_.clear();
}

DeviceKernels::Ahead DeviceKernels::take_most_wanted(Queue& queue) {
  std::lock_guard lock(queue.mutex);
  const auto work_of = [](const Ahead& ahead) { return ahead.assembled->work.load(std::memory_order_relaxed); };
  const auto most = std::ranges::max_element(queue.waiting, {}, work_of);
  Ahead taken = std::move(*most);
  queue.waiting.erase(most);
  return taken;
}

bool DeviceKernels::is_ready(const WantedKernel& wanted, Compiler* compiler, Making making) {
  if (device_.takes_ir() || find(wanted)) return true;
  bool is_next_ready = true;
  if (wanted.may_be_lean)
    for (const WantedKernel& next : next_of(wanted)) is_next_ready &= is_ready(next, compiler, making);
  if (AssembledKernel* ahead = find_ahead(wanted))
    return is_next_ready && ahead->is_done.load(std::memory_order_acquire);
  if (making == Making::never || !compiler) return false;
  auto assembled = std::make_shared<AssembledKernel>();
  ahead_.emplace(wanted.hash, Ahead{wanted, assembled});
  begun_.push_back({wanted, std::move(assembled)});
  if (making == Making::now) make_ahead(compiler);
  return false;
}

void DeviceKernels::make_ahead(Compiler* compiler) {
  for (Ahead& ahead : std::exchange(begun_, {})) {
    if (find(ahead.wanted)) continue;  // somebody waited for it
    runtime::run_beside([ahead = std::move(ahead), compiler, &device = device_] {
      assemble_first(device, ahead.wanted, compiler, *ahead.assembled);
      ahead.assembled->is_done.store(true, std::memory_order_release);
    });
  }
}

/// The form it runs best in where that is on disk; else the lean one, if it has one and that can be made.
void DeviceKernels::assemble_first(runtime::Device& device, const WantedKernel& wanted, Compiler* compiler,
                                   AssembledKernel& result) {
  if (wanted.may_be_lean || wanted.brief) {
    const bool has_disk = compiler && !device.takes_ir();
    if (std::optional<std::string> code =
            has_disk ? compiler->find_object(cache_key(*wanted.kernel, wanted.form, *compiler, device))
                     : std::nullopt) {
      result.form = wanted.form;
      result.code = *std::move(code);
      return;
    }
    if (wanted.brief)
      assemble(device, *wanted.brief,
               {.capability = wanted.form.capability, .threads = wanted.form.threads, .lean = true}, compiler, result);
    else
      assemble(device, *wanted.kernel, lean_form(*wanted.kernel, wanted.form), compiler, result);
    if (!result.code.empty()) return;
  }
  assemble(device, *wanted.kernel, wanted.form, compiler, result);
}

/// Machine code, from the disk where it is kept.
void DeviceKernels::assemble(runtime::Device& device, const ir::Kernel& kernel, const DeviceForm& form,
                             Compiler* compiler, AssembledKernel& result) {
  result.form = form;
  try {
    if (device.takes_ir()) {
      result.code = text_of(kernel, form);
      return;
    }
    require<RuntimeError>(compiler != nullptr, "there is no compiler on this machine");
    const std::string key = cache_key(kernel, form, *compiler, device);
    if (std::optional<std::string> code = compiler->find_object(key)) {
      result.code = *std::move(code);
      return;
    }
    const profile::Range range("compile a kernel");
    result.code = device.assemble(compiler->compile_ptx(kernel, form), form.lean);
    profile::add(profile::Counter::device_kernels_compiled);
    compiler->store_object(key, result.code);
  } catch (const std::exception& error) {
    result.problem = error.what();
  }
}

}  // namespace tessera::engine
