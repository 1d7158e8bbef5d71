/// BlockOrder: the turns in which blocks that several threads draw ahead are placed.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::library {

/// Blocks take turns by number. Whoever holds one waits only for lower ones, which other running threads hold.
class BlockOrder {
 public:
  void wait(int64_t block) const {
    for (int64_t turn; (turn = turn_.load(std::memory_order_acquire)) != block;) turn_.wait(turn, std::memory_order_acquire);
  }
  void pass() {
    turn_.fetch_add(1, std::memory_order_release);
    turn_.notify_all();
  }

 private:
  std::atomic<int64_t> turn_ = 0;
};

/// One block's turn: waits for it at the latest when it ends, so that the blocks behind never wait for ever.
class BlockTurn {
 public:
  BlockTurn(BlockOrder& order, int64_t block) : order_(order), block_(block) {}
  ~BlockTurn() {
    if (passed_) return;
    wait();
    order_.pass();
  }
  BlockTurn(const BlockTurn&) = delete;
  BlockTurn& operator=(const BlockTurn&) = delete;

  void wait() const { order_.wait(block_); }
  void pass() {
    passed_ = true;
    order_.pass();
  }

 private:
  BlockOrder& order_;
  const int64_t block_;
  bool passed_ = false;
};

}  // namespace tessera::library
