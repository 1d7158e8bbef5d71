/// WordMemory: blocks of words that a call of a compiled function makes: headers, elements, entries, frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/ref.h"
#include "tessera/runtime/buffer.h"

namespace tessera::bind {

/// Small blocks lie in chunks of blocks of one size, large ones are the host pool's. Used under Python's lock.
class WordMemory {
 public:
  WordMemory() = default;
  /// Of new chunks all words are zero, so that each_block() tells blocks that were never taken by theirs.
  explicit WordMemory(bool clears_chunks) : clears_chunks_(clears_chunks) {}
  ~WordMemory();
  WordMemory(const WordMemory&) = delete;
  WordMemory& operator=(const WordMemory&) = delete;
  WordMemory(WordMemory&&) = default;

  /// So many words, zero if `zeroed`; those of a leaf hold no addresses.
  int64_t* take(int64_t words, bool zeroed, bool is_leaf);
  /// Gives a block back at once, if it is small.
  void give(int64_t* block, int64_t words);
  /// Blocks of one size that lie one behind the other, and which of them have a mark, which a collection has left.
  struct Row {
    int64_t* first;
    size_t words, count;  // of a block, and how many blocks
    const uint64_t* marks;
    std::span<int64_t> block(size_t k) const { return {first + k * words, words}; }
    bool is_marked(size_t k) const { return (marks[k / 64] >> (k % 64)) & 1; }
  };
  /// Calls each(row) of all rows.
  template <class Each>
  void each_row(const Each& each) const {
    visit([](void* context, const Row& row) { (*static_cast<const Each*>(context))(row); },
          const_cast<void*>(static_cast<const void*>(&each)));
  }
  /// Calls each(words) of all blocks, those that are free among them, whose first word is a link then.
  template <class Each>
  void each_block(const Each& each) const {
    each_row([&](const Row& row) {
      for (size_t k = 0; k < row.count; ++k) each(row.block(k));
    });
  }
  /// Of those that have a mark.
  template <class Each>
  void each_marked(const Each& each) const {
    each_row([&](const Row& row) {
      for (size_t k = 0; k < row.count; ++k)
        if (row.is_marked(k)) each(row.block(k));
    });
  }
  /// Bytes that were taken since the last collection, and those of blocks that it left.
  size_t taken() const { return taken_; }
  size_t left() const { return left_; }
  void clear();

  // A collection: begin_marks(), mark() of every address that something may be at, sweep().
  void begin_marks();
  /// Marks the block around an address in bytes. Its words, if they may hold addresses and had not been marked.
  std::span<const int64_t> mark(uintptr_t address);
  /// Whether any block may be at the address.
  bool may_hold(uintptr_t address) const { return address >= low_ && address < high_; }
  /// Gives back what has no mark.
  void sweep();

 private:
  struct Chunk;
  struct Large {
    Ref<runtime::Buffer> buffer;
    size_t words;
    bool is_leaf, is_marked = false;
    uintptr_t begin() const;
    uintptr_t end() const;
  };
  static constexpr size_t sizes = 14;

  int64_t* refill(size_t size);
  void visit(void (*each)(void*, const Row&), void* context) const;
  static Chunk* take_chunk();
  static void give_chunk(Chunk* chunk);
  Chunk* find_chunk(uintptr_t address) const;

  std::array<int64_t*, sizes> free_{};
  std::array<std::vector<Chunk*>, sizes> swept_{};  // whose unmarked blocks are free, and not in the list
  std::vector<Chunk*> chunks_;
  std::vector<uintptr_t> table_;  // of chunks, by address
  std::vector<Large> large_;      // in order of addresses while marks are set
  size_t taken_ = 0, left_ = 0;
  uintptr_t low_ = 0, high_ = 0;
  bool clears_chunks_ = false;
};

/// In tests: a collection whenever the host is asked, and what is freed is overwritten.
bool& collects_always();

}  // namespace tessera::bind
