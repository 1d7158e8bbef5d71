/// BlockStream and BlockReader: a generator's stream split into blocks of words, from which threads draw.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// The unit in which draws consume a stream: its words, or the 32-bit halves that generators return one by one.
enum class Unit : uint8_t { word, half };

// In memory, the halves of a word are in the order of their use.
static_assert(std::endian::native == std::endian::little);

/// Converts generated words to the form that draws of `unit` read. 64-bit generators can jump, so each thread uses a
/// copy, and nothing is left to do. The Mersenne twister cannot: its recurrence, a small part of the work, runs block
/// by block under a lock, and the thread that took the block finishes (tempers) its words.
inline void finish_words(Unit, uint64_t*, int64_t, const BitGenerator&) {}
inline void finish_words(Unit unit, uint64_t* words, int64_t count, const Mt19937&) {
  auto* halves = reinterpret_cast<uint32_t*>(words);
  for (int64_t i = 0; i < 2 * count; ++i) halves[i] = Mt19937::temper(halves[i]);
  if (unit == Unit::half) return;
  for (int64_t i = 0; i < count; ++i) words[i] = std::rotl(words[i], 32);  // the first output is the high half
}

template <class G>
void fill_words(G& source, Unit unit, uint64_t* out, int64_t count) {
  if constexpr (std::is_same_v<G, Mt19937>) {
    source.fill_untempered({reinterpret_cast<uint32_t*>(out), 2 * static_cast<size_t>(count)});
  } else {
    source.fill({out, static_cast<size_t>(count)});
    if (unit == Unit::half) source.halves() = {false, static_cast<uint32_t>(out[count - 1] >> 32)};
  }
}

/// The generator after `words` more words, in the state in which draws of `unit` leave it.
template <class G>
G moved_on(const G& bits, Unit unit, int64_t words) {
  G moved = bits;
  moved.skip(words - 1);
  const uint64_t last = moved.next64();
  if (unit == Unit::half) moved.halves() = {false, static_cast<uint32_t>(last >> 32)};
  return moved;
}

/// Blocks of `words` words from the current state of `bits`; if halves are drawn, no half may be pending.
template <class G>
class BlockStream {
 public:
  BlockStream(const G& bits, Unit unit, int64_t words) : bits_(bits), behind_(bits), unit_(unit), words_(words) {}
  /// The generator before the first block; unchanged until the draws are done.
  const G& bits() const { return bits_; }
  Unit unit() const { return unit_; }
  int64_t words() const { return words_; }

  /// Blocks from number `limit` on are not given out.
  void set_limit(int64_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  /// Sets source to the generator at the start of the next block, for generators that can jump. Returns the block's
  /// number, or -1 if there is none.
  int64_t take(G& source) {
    const int64_t block = next_.fetch_add(1, std::memory_order_relaxed);
    if (block >= limit_.load(std::memory_order_relaxed)) return -1;
    source = bits_;
    source.skip(block * words_);
    return block;
  }
  /// Writes the words of the next block, and the generator after them. Returns the block's number, or -1 if there is
  /// none.
  int64_t take(uint64_t* out, G& after) {
    if constexpr (std::is_same_v<G, Mt19937>) {
      std::unique_lock lock(mutex_);
      const int64_t block = next_;
      if (block >= limit_.load(std::memory_order_relaxed)) return -1;
      ++next_;
      fill_words(behind_, unit_, out, words_);
      after = behind_;
      lock.unlock();
      finish_words(unit_, out, words_, after);
      return block;
    } else {
      const int64_t block = take(after);
      if (block >= 0) fill_words(after, unit_, out, words_);
      return block;
    }
  }

 private:
  const G& bits_;
  G behind_;  // the generator after the blocks given out, if it cannot jump
  const Unit unit_;
  const int64_t words_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<int64_t> limit_ = std::numeric_limits<int64_t>::max();
  Mutex mutex_;
};

/// One thread's block as a bit source that counts the units drawn; all draws read words, or all read halves. Can read
/// past the block's end. This class draws from a copy of the generator, whose steps overlap with the processing of its
/// words.
template <class G>
class JumpingReader final : public BitGenerator {
 public:
  explicit JumpingReader(const BlockStream<G>& stream)
      : unit_(stream.unit()), words_(stream.words()), begin_(stream.bits()), source_(begin_) {}
  /// Moves to the stream's next block; returns its number, or -1.
  int64_t take(BlockStream<G>& stream) {
    const int64_t number = stream.take(begin_);
    source_ = begin_;
    at_ = 0;
    return number;
  }

  uint64_t next64() override {
    ++at_;
    return source_.next64();
  }
  uint32_t next32() override {
    ++at_;
    return source_.next32();
  }
  double next_double() override { return to_double(next64()); }

  /// at(): the position of the next draw, in units from the block's beginning. end(): the block's length in units.
  int64_t at() const { return at_; }
  void seek(int64_t at) {
    source_ = begin_;
    source_.skip(unit_ == Unit::half ? at / 2 : at);
    if (unit_ == Unit::half && at % 2) source_.next32();
    at_ = at;
  }
  int64_t end() const { return unit_ == Unit::half ? 2 * words_ : words_; }
  /// The generator after the block.
  G after() const { return moved_on(begin_, unit_, words_); }

  std::vector<uint64_t> state() const override { return {}; }
  void set_state(std::span<const uint64_t>) override {}

 private:
  const Unit unit_;
  const int64_t words_;
  int64_t at_ = 0;
  G begin_, source_;
};

/// The same for the Mersenne twister, which reads words stored in memory.
class TwisterReader final : public BitGenerator {
 public:
  explicit TwisterReader(const BlockStream<Mt19937>& stream)
      : unit_(stream.unit()), block_(stream.words()), after_(stream.bits()), ahead_(after_) {}
  /// Moves to the stream's next block; returns its number, or -1.
  int64_t take(BlockStream<Mt19937>& stream) {
    words_.resize(static_cast<size_t>(block_));
    const int64_t number = stream.take(words_.data(), after_);
    ahead_ = after_;
    refresh();
    at_ = 0;
    return number;
  }

  uint64_t next64() override {
    if (at_ == size_) [[unlikely]]
      extend();
    return data_[at_++];
  }
  uint32_t next32() override {
    if (at_ == size_) [[unlikely]]
      extend();
    return reinterpret_cast<const uint32_t*>(data_)[at_++];
  }
  double next_double() override { return Mt19937::to_double(next64()); }

  int64_t at() const { return at_; }
  void seek(int64_t at) {
    at_ = at;
    while (at_ > size_) extend();
  }
  int64_t end() const { return unit_ == Unit::half ? 2 * block_ : block_; }
  const Mt19937& after() const { return after_; }

  std::vector<uint64_t> state() const override { return {}; }
  void set_state(std::span<const uint64_t>) override {}

 private:
  void extend() {
    constexpr int64_t more = 64;
    const size_t before = words_.size();
    words_.resize(before + more);
    fill_words(ahead_, unit_, words_.data() + before, more);
    finish_words(unit_, words_.data() + before, more, ahead_);
    refresh();
  }
  void refresh() {
    data_ = words_.data();
    size_ = static_cast<int64_t>(words_.size()) * (unit_ == Unit::half ? 2 : 1);
  }

  const Unit unit_;
  const int64_t block_;
  std::vector<uint64_t> words_;
  const uint64_t* data_ = nullptr;
  int64_t at_ = 0, size_ = 0;
  Mt19937 after_, ahead_;
};

template <class G>
using ReaderFor = std::conditional_t<std::is_same_v<G, Mt19937>, TwisterReader, JumpingReader<G>>;

/// Converts a word of generator G to a double in [0, 1).
template <class G>
double real_of(uint64_t word) {
  if constexpr (std::is_same_v<G, Mt19937>)
    return Mt19937::to_double(word);
  else
    return BitGenerator::to_double(word);
}

}  // namespace tessera::library
