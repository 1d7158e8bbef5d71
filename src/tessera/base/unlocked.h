/// UnlockHooks, Unlocked: release of the caller's lock (the GIL) around long work.
#pragma once

namespace tessera {

struct UnlockHooks {
  void* (*unlock)() = nullptr;
  void (*lock)(void* state) = nullptr;
};

/// Releases the caller's lock for its lifetime when the work is long.
class Unlocked {
 public:
  explicit Unlocked(const UnlockHooks& hooks, bool worth_it = true)
      : hooks_(worth_it && hooks.unlock ? &hooks : nullptr) {
    if (hooks_) state_ = hooks_->unlock();
  }
  ~Unlocked() {
    if (hooks_) hooks_->lock(state_);
  }
  /// Runs body with the lock.
  template <class Body>
  void locked(Body&& body) {
    if (!hooks_) return body();
    struct Again {
      Unlocked& work;
      explicit Again(Unlocked& unlocked) : work(unlocked) { work.hooks_->lock(work.state_); }
      ~Again() { work.state_ = work.hooks_->unlock(); }
    } again(*this);
    body();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  const UnlockHooks* hooks_;
  void* state_ = nullptr;
};

}  // namespace tessera
