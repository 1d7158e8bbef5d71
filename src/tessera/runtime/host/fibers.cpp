#include "tessera/runtime/host/fibers.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_TELLS_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define TESSERA_TELLS_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace tessera::runtime {

namespace {

/// Compiled blocks keep up to 2 MiB of their lanes' values on the stack. Pages are the system's until they are used.
constexpr size_t stack_bytes = size_t{8} << 20;
/// How often a thread goes through its waiting units, in vain, before it starts another one.
constexpr int64_t vain_rounds = 16;

class Stack {
 public:
  Stack() {
    memory_ = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require<OutOfMemory>(memory_ != MAP_FAILED, "no memory for the stack of a block of threads");
    ::mprotect(memory_, static_cast<size_t>(::sysconf(_SC_PAGESIZE)), PROT_NONE);
  }
  ~Stack() { ::munmap(memory_, stack_bytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* begin() const { return memory_; }

 private:
  void* memory_;
};

/// What all threads of one run share.
class Crowd {
 public:
  Crowd(int64_t count, const RangeFn& unit) : unit(unit), meeting(count), count_(count) {}

  /// The next unit to be started; -1 if there is none left.
  int64_t take() {
    const int64_t k = next_.fetch_add(1, std::memory_order_relaxed);
    return k < count_ ? k : -1;
  }
  bool has_more() const { return next_.load(std::memory_order_relaxed) < count_; }

  void note_end(std::exception_ptr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (failure && !failure_) failure_ = failure;
    }
    meeting.leave();
  }
  /// A unit cannot be started: those that wait may wait for it, so that all threads stop.
  void give_up(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    is_given_up_.store(true, std::memory_order_release);
  }
  bool is_given_up() const { return is_given_up_.load(std::memory_order_acquire); }
  const std::exception_ptr& failure() const { return failure_; }

  const RangeFn unit;
  Meeting meeting;  // of all units

 private:
  const int64_t count_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> is_given_up_{false};
  Mutex mutex_;
  std::exception_ptr failure_;
};

class Scheduler;
thread_local Scheduler* scheduler = nullptr;

struct Fiber {
  Stack stack;
  ucontext_t context{};
  bool has_ended = false;
  const Meeting* meets = nullptr;  // waits there for this meeting
  uint64_t meeting = 0;
#ifdef TESSERA_TELLS_THREAD_SANITIZER
  void* sanitizer = __tsan_create_fiber(0);
  ~Fiber() { __tsan_destroy_fiber(sanitizer); }
#endif
};

/// The fibers of one thread.
class Scheduler {
 public:
  explicit Scheduler(Crowd& crowd) : crowd_(crowd) {}

  void run() {
    struct Back {
      Scheduler* outer;
      ~Back() { scheduler = outer; }
    } const back{std::exchange(scheduler, this)};
    while (Fiber* next = choose()) enter(*next);
  }
  void pause() { leave(); }
  void meet() { meet(crowd_.meeting); }
  void meet(Meeting& at) {
    Fiber& fiber = *current_;
    fiber.meeting = at.arrive();
    fiber.meets = &at;
    while (!at.has_met(fiber.meeting)) leave();
    fiber.meets = nullptr;
  }

 private:
  /// The fiber that goes on: one that waits, in turn, or a new one where those wait in vain. Null when all is done.
  Fiber* choose() {
    while (!crowd_.is_given_up()) {
      if (Fiber* found = choose_waiting()) return found;
      vain_ = 0;
      if (crowd_.has_more()) return start();
      if (waiting_.empty()) return nullptr;
      std::this_thread::yield();
    }
    return nullptr;
  }

  Fiber* choose_waiting() {
    const size_t count = waiting_.size();
    const bool may_poll = vain_ < vain_rounds * static_cast<int64_t>(count) || !crowd_.has_more();
    for (size_t k = 0; k < count; ++k) {
      Fiber* const first = waiting_.front();
      waiting_.pop_front();
      if (first->meets ? first->meets->has_met(first->meeting) : may_poll) {
        vain_ += !first->meets;
        return first;
      }
      waiting_.push_back(first);
    }
    return nullptr;
  }

  Fiber* start() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
      idle_.push_back(fibers_.back().get());
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    fiber->has_ended = false;
    ::getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.begin();
    fiber->context.uc_stack.ss_size = stack_bytes;
    fiber->context.uc_link = nullptr;
    ::makecontext(&fiber->context, &Scheduler::begin, 0);
    return fiber;
  }

  void enter(Fiber& fiber) {
    current_ = &fiber;
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, fiber.stack.begin(), stack_bytes);
#endif
#ifdef TESSERA_TELLS_THREAD_SANITIZER
    home_sanitizer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber.sanitizer, 0);
#endif
    ::swapcontext(&home_, &fiber.context);
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    (fiber.has_ended ? idle_ : waiting_).push_back(&fiber);
  }

  /// Back to the thread's own stack, until the fiber is entered again.
  void leave() {
    Fiber& fiber = *current_;
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(fiber.has_ended ? nullptr : &fake, home_stack_, home_bytes_);
#endif
#ifdef TESSERA_TELLS_THREAD_SANITIZER
    __tsan_switch_to_fiber(home_sanitizer_, 0);
#endif
    ::swapcontext(&fiber.context, &home_);
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake, &home_stack_, &home_bytes_);
#endif
  }

  /// A fiber goes on with further units where the one before did not wait.
  static void begin() {
    Scheduler& self = *scheduler;
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &self.home_stack_, &self.home_bytes_);
#endif
    for (int64_t k = self.crowd_.take(); k >= 0; k = self.waiting_.empty() ? self.crowd_.take() : -1) {
      std::exception_ptr failure;
      try {
        self.crowd_.unit(k, k + 1);
      } catch (...) {
        failure = std::current_exception();
      }
      self.vain_ = 0;
      self.crowd_.note_end(std::move(failure));
    }
    self.current_->has_ended = true;
    self.leave();
  }

  Crowd& crowd_;
  ucontext_t home_{};
  Fiber* current_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::deque<Fiber*> waiting_, idle_;
  int64_t vain_ = 0;  // how often a waiting fiber was entered since a unit ended or began
#ifdef TESSERA_TELLS_ADDRESS_SANITIZER
  const void* home_stack_ = nullptr;
  size_t home_bytes_ = 0;
#endif
#ifdef TESSERA_TELLS_THREAD_SANITIZER
  void* home_sanitizer_ = nullptr;
#endif
};

}  // namespace

void run_fibers(int64_t count, RangeFn unit) {
  Crowd crowd(count, unit);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      try {
        Scheduler(crowd).run();
      } catch (...) {
        crowd.give_up(std::current_exception());
      }
    }
  };
  parallel_for(std::min<int64_t>(thread_count(), count), 1, body);
  if (crowd.failure()) std::rethrow_exception(crowd.failure());
}

void Meeting::meet() {
  if (scheduler) scheduler->meet(*this);
}

void Meeting::leave() {
  const std::lock_guard lock(mutex_);
  --members_;
  release_if_all();
}

uint64_t Meeting::arrive() {
  const std::lock_guard lock(mutex_);
  const uint64_t meeting = met_.load(std::memory_order_relaxed);
  ++arrived_;
  release_if_all();
  return meeting;
}

void Meeting::release_if_all() {
  if (arrived_ == 0 || arrived_ < members_) return;
  arrived_ = 0;
  met_.fetch_add(1, std::memory_order_release);
}

void pause_fiber() {
  if (scheduler) scheduler->pause();
}

void meet_fibers() {
  if (scheduler) scheduler->meet();
}

}  // namespace tessera::runtime
