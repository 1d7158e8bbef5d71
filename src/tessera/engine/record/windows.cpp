#include "tessera/engine/record/windows.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace tessera::engine {

namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> number{0};
  return ++number;
}

/// Whether the thread's OwnWindows are gone: other destructors of the thread may still record.
constinit thread_local bool has_ended = false;

/// The windows of a thread. They outlive it: results pending in them can still be requested.
class OwnWindows {
 public:
  ~OwnWindows() {
    for (const std::shared_ptr<Recorder>& window : windows_) window->idle = true;
    own_recorder = {};
    has_ended = true;
  }
  /// The window in this engine; null when the thread has none yet.
  Recorder* find(uint64_t engine) const {
    for (const std::shared_ptr<Recorder>& window : windows_)
      if (window->engine_number == engine) return window.get();
    return nullptr;
  }
  void add(const std::shared_ptr<Recorder>& window) {
    std::erase_if(windows_, [](const auto& known) { return known.use_count() == 1; });  // their engines are gone
    windows_.push_back(window);
  }

 private:
  std::vector<std::shared_ptr<Recorder>> windows_;
};

}  // namespace

constinit thread_local OwnRecorder own_recorder;

Windows::Windows(const UnlockHooks& hooks, DeviceSet* devices, Prospect* choice)
    : engine_number(next_number()), hooks_(hooks), devices_(devices), choice_(choice) {}

Recorder& Windows::join() {
  static thread_local OwnWindows own;
  Recorder* window = has_ended ? nullptr : own.find(engine_number);
  if (!window) {
    const auto is_free = [](const auto& recorder) { return recorder->idle.exchange(false); };
    auto at = std::find_if(recorders_.begin(), recorders_.end(), is_free);
    if (at == recorders_.end()) at = recorders_.insert(at, std::make_shared<Recorder>(engine_number));
    if (!has_ended) own.add(*at);
    window = at->get();
    window->forget_choices();
    window->devices = devices_;
    window->choice = choice_;
  }
  own_recorder = {window, engine_number};
  return *window;
}

void Windows::begin_ranks(Ranks& ranks) {
  devices_ = nullptr, choice_ = nullptr;
  for (const std::shared_ptr<Recorder>& window : recorders_) {
    window->devices = nullptr, window->choice = nullptr;
    window->forget_choices();
  }
  over_ranks_ = recorders_.emplace_back(std::make_shared<Recorder>(engine_number)).get();
  over_ranks_->ranks = &ranks;
}

void Windows::wait() {
  ++waiting_;
  void* state = hooks_.unlock ? hooks_.unlock() : nullptr;
  {
    std::unique_lock lock(mutex_);
    has_run_.wait_for(lock, std::chrono::milliseconds(1));
  }
  if (hooks_.lock) hooks_.lock(state);
  --waiting_;
}

void Windows::wait_to_run(const Recorder& window) {
  const auto is_forking = [&] { return forker_ != std::thread::id() && forker_ != std::this_thread::get_id(); };
  while (window.running || is_forking()) wait();
}

void Windows::end_run(Recorder& window) {
  window.running = false;
  if (waiting_ == 0) return;
  const std::lock_guard lock(mutex_);
  has_run_.notify_all();
}

void Windows::prepare_fork() {
  forker_ = std::this_thread::get_id();
  while (std::ranges::any_of(recorders_, [](const auto& window) { return window->running; })) wait();
}

void Windows::resume_after_fork(bool in_child) {
  forker_ = {};
  if (!in_child) return;
  std::construct_at(&mutex_);  // a thread that does not exist here may have held it
  std::construct_at(&has_run_);
  waiting_ = 0;
  over_ranks_ = nullptr;
  const Recorder& mine = own();
  for (const std::shared_ptr<Recorder>& window : recorders_) {
    window->idle = window.get() != &mine && !window->ranks;
    if (window.get() != &mine) window->call = nullptr;  // it is on the stack of a thread that does not exist here
  }
}

}  // namespace tessera::engine
