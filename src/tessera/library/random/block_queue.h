/// BlockQueue: blocks that threads draw ahead and that are placed one after the other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::library {

/// Nobody waits for his turn: a block drawn too early stays in its slot, and whoever draws the one that is missing
/// places both. A thread waits only for a slot, and holds no block while it does, so the others never wait for it.
template <class Slot>
class BlockQueue {
 public:
  explicit BlockQueue(size_t slots) : drawn_(slots) {}

  /// A slot to draw into, made by make() where all others are in use; null after stop().
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

  /// The block of that number is drawn. Calls place(slot) for all whose turn has come, one at a time, until one gives
  /// false, which stops the queue; then move(slot), beside other threads, for those placed.
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

  /// No more blocks are placed; for a thread that fails.
  void stop() {
    std::lock_guard lock(mutex_);
    stop_locked();
  }

 private:
  // Blocks that are taken and not placed follow each other, and each has a slot: their numbers modulo the slots differ.
  Slot*& at(int64_t number) { return drawn_[static_cast<size_t>(number) % drawn_.size()]; }
  void stop_locked() {
    stopped_ = true;
    freed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_, drawn_;
  int64_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace tessera::library
