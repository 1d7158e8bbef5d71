/// BlockQueue: threads draw blocks out of order, and the queue places them in order.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"

namespace tessera::library {

/// Threads do not wait for their turn: a block drawn too early stays in its slot, and the thread that draws the missing
/// block places both. A thread waits only for a slot, and holds no block meanwhile, so other threads never wait for it.
template <class Slot>
class BlockQueue {
 public:
  explicit BlockQueue(size_t slots) : drawn_(slots) {}

  /// Returns a slot to draw into, created by make() if all others are in use; null after stop().
  template <class Make>
  Slot* acquire(const Make& make) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return stopped_ || !free_.empty() || slots_.size() < drawn_.size(); });
    if (stopped_) return nullptr;
    if (free_.empty()) {
      slots_.push_back(make());
      return slots_.back().get();
    }
    Slot* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  /// Reports that the block of that number has been drawn. Calls place(slot) for all blocks that are next in order, one
  /// at a time, until one returns false, which stops the queue; then move(slot) for those placed, concurrently with
  /// other threads.
  template <class Place, class Move>
  void finish(int64_t number, Slot* slot, const Place& place, const Move& move) {
    std::vector<Slot*> placed;
    {
      std::lock_guard lock(mutex_);
      at(number) = slot;
      while (!stopped_ && at(next_)) {
        Slot* turn = std::exchange(at(next_), nullptr);
        if (!place(*turn)) {
          stop_locked();
          break;
        }
        placed.push_back(turn);
        ++next_;
      }
    }
    for (Slot* done : placed) move(*done);
    std::lock_guard lock(mutex_);
    free_.insert(free_.end(), placed.begin(), placed.end());
    freed_.notify_all();
  }

  /// Stops placing blocks; called by a thread that fails.
  void stop() {
    std::lock_guard lock(mutex_);
    stop_locked();
  }

 private:
  // Blocks taken and not yet placed have consecutive numbers and a slot each, so their numbers modulo the number of
  // slots differ.
  Slot*& at(int64_t number) { return drawn_[static_cast<size_t>(number) % drawn_.size()]; }
  void stop_locked() {
    stopped_ = true;
    freed_.notify_all();
  }

  Mutex mutex_;
  Condition freed_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_, drawn_;
  int64_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace tessera::library
