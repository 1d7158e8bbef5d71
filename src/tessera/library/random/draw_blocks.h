/// Long runs of draws on all cores, block by block of the generator's words, with the same result as on one thread.
///
/// There are three kinds of draws, by how they consume words. Draws of one word each are written to their positions
/// directly. Where each word is accepted or rejected independently, a block's draws are its accepted words, and they
/// follow those of the blocks before. In all other cases a draw begins where the previous one ended: a block is first
/// drawn speculatively, as if a draw began at its first word. Once the preceding blocks are placed, draws are repeated
/// from the actual entry point until one begins at the same word as a speculative draw; from there on both chains are
/// the same. If they never meet, all of the block's draws are those of the repeated chain.
///
/// Each function draws whole blocks only, leaves the generator in the state after them and returns how many numbers
/// were drawn: the caller draws the rest. The result does not depend on the number of threads or the size of the
/// blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tessera/library/random/block_queue.h"
#include "tessera/library/random/block_stream.h"
#include "tessera/library/random/kept_normal.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

/// The number of words per block if about `words` are drawn in all: several blocks per thread, small enough for the
/// first-level cache.
inline int64_t block_words(int64_t words) {
  constexpr int64_t least = 1024, most = 4096;
  return std::clamp(words / (8 * runtime::thread_count()) / 64 * 64, least, most);
}

/// Calls work(), which runs until nothing is left to do, on every thread.
template <class Work>
void on_each_thread(Work&& work) {
  auto pieces = [&](int64_t, int64_t) { work(); };
  runtime::parallel_for(runtime::thread_count(), 1, pieces);
}

/// Every word gives per_word numbers: convert(words, count, T* out).
template <class G, class T, class Convert>
int64_t draw_each(G& bits, Unit unit, int64_t per_word, std::span<T> out, const Convert& convert) {
  const auto count = static_cast<int64_t>(out.size());
  BlockStream<G> stream(bits, unit, block_words(count / per_word));
  const int64_t length = stream.words() * per_word, blocks = count / length;
  stream.set_limit(blocks);
  if (blocks == 0) return 0;
  G after = bits;
  on_each_thread([&] {
    std::vector<uint64_t> words(static_cast<size_t>(stream.words()));
    G behind = stream.bits();
    for (int64_t block; (block = stream.take(words.data(), behind)) >= 0;) {
      convert(words.data(), stream.words(), out.data() + block * length);
      if (block == blocks - 1) after = behind;
    }
  });
  bits = after;
  return blocks * length;
}

/// The state after the blocks placed so far; only the thread that places a block may read and write it.
template <class G>
struct PlacedBlocks {
  int64_t count = 0;  // numbers
  int64_t blocks = 0;
  int64_t entry = 0;  // where the next draw begins, in units from the start of the next block
  KeptNormal kept;
  G after;  // the generator at the end of the last block

  /// An estimate of the number of blocks for `total` numbers, from the blocks placed so far.
  int64_t blocks_for(int64_t total) const { return count ? blocks + (total - count) * blocks / count + 1 : blocks + 1; }
};

/// Draws blocks on all threads: draw(slot) takes a block from the stream and returns its number, or -1; for place and
/// move see BlockQueue.
template <class Slot, class Make, class Draw, class Place, class Move>
void run_blocks(const Make& make, const Draw& draw, const Place& place, const Move& move) {
  BlockQueue<Slot> queue(static_cast<size_t>(4 * runtime::thread_count() + 4));
  on_each_thread([&] {
    try {
      while (Slot* slot = queue.acquire(make)) {
        const int64_t number = draw(*slot);
        if (number < 0) return;
        queue.finish(number, slot, place, move);
      }
    } catch (...) {
      queue.stop();
      throw;
    }
  });
}

/// Each word is accepted or rejected independently: compact(words, count, T* out) writes the accepted values and
/// returns their number; at most per_word per word, with some slack after the end of out.
template <class G, class T, class Compact>
int64_t draw_compacted(G& bits, Unit unit, int64_t per_word, std::span<T> out, const Compact& compact) {
  struct Slot {
    std::vector<uint64_t> words;
    std::vector<T> drawn;
    G after;
    int64_t taken = 0;
    T* to = nullptr;
  };
  constexpr int64_t slack = 64;
  const auto count = static_cast<int64_t>(out.size());
  BlockStream<G> stream(bits, unit, block_words(count / per_word));
  PlacedBlocks<G> placed{.kept = {}, .after = bits};
  const auto make = [&] {
    const auto words = static_cast<size_t>(stream.words());
    return std::unique_ptr<Slot>(
        new Slot{std::vector<uint64_t>(words), std::vector<T>(words * per_word + slack), stream.bits()});
  };
  const auto draw = [&](Slot& slot) {
    const int64_t number = stream.take(slot.words.data(), slot.after);
    if (number >= 0) slot.taken = compact(slot.words.data(), stream.words(), slot.drawn.data());
    return number;
  };
  const auto place = [&](Slot& slot) {
    if (slot.taken > count - placed.count) return false;
    slot.to = out.data() + placed.count;
    placed.count += slot.taken;
    ++placed.blocks;
    placed.after = slot.after;
    stream.set_limit(placed.blocks_for(count));
    return true;
  };
  run_blocks<Slot>(make, draw, place, [](const Slot& slot) { std::copy_n(slot.drawn.data(), slot.taken, slot.to); });
  bits = placed.after;
  return placed.count;
}

/// A block drawn speculatively from its first word: its draws, and the position at which each began.
template <class T>
class DrawnAhead {
 public:
  explicit DrawnAhead(int64_t units) : values_(static_cast<size_t>(2 * units)), starts_(values_.size()) {}

  template <class Reader, class Draw>
  void draw(Reader& reader, Draw& draw) {
    const int64_t end = reader.end();
    const auto most = static_cast<int64_t>(values_.size());
    draw.kept() = {};
    reader.seek(0);
    for (count_ = 0; reader.at() < end && count_ < most; ++count_) {
      starts_[static_cast<size_t>(count_)] = key(reader, draw);
      values_[static_cast<size_t>(count_)] = draw();
    }
    // Draws that consume nothing never reach the end.
    is_whole_ = reader.at() >= end;
    exit_ = reader.at() - end;
    kept_ = draw.kept();
  }

  /// Repeats draws to out from the position in `placed` until one begins where a speculative draw begins; the remaining
  /// speculative draws, rest(), are then valid. Adds the repeated draws to placed. Returns false if out would overflow.
  template <class Reader, class Draw, class Placed>
  bool join(Reader& reader, Draw& draw, Placed& placed, std::span<T> out) {
    if (!is_whole_) return false;
    reader.seek(placed.entry);
    draw.kept() = placed.kept;
    size_t count = static_cast<size_t>(placed.count);
    for (met_ = 0; reader.at() < reader.end();) {
      const uint32_t now = key(reader, draw);
      while (met_ < count_ && starts_[static_cast<size_t>(met_)] < now) ++met_;
      // If a normal is kept, the kept values would have to agree as well.
      if (met_ < count_ && starts_[static_cast<size_t>(met_)] == now && !draw.kept().has) break;
      if (count == out.size()) return false;
      out[count++] = draw();
    }
    const bool meets = reader.at() < reader.end();
    if (!meets) met_ = count_;
    if (rest().size() > out.size() - count) return false;
    placed.count = static_cast<int64_t>(count);
    placed.entry = meets ? exit_ : reader.at() - reader.end();
    placed.kept = meets ? kept_ : draw.kept();
    return true;
  }
  /// The speculative draws that are valid.
  std::span<const T> rest() const {
    return std::span<const T>(values_).subspan(static_cast<size_t>(met_), static_cast<size_t>(count_ - met_));
  }

 private:
  template <class Reader, class Draw>
  static uint32_t key(const Reader& reader, Draw& draw) {
    return static_cast<uint32_t>(2 * reader.at() + draw.kept().has);
  }

  std::vector<T> values_;
  std::vector<uint32_t> starts_;
  int64_t count_ = 0, met_ = 0, exit_ = 0;
  bool is_whole_ = false;
  KeptNormal kept_;
};

/// Draws of any kind: make(reader) returns a function object that draws only from the reader's bits and from kept().
template <class G, class T, class Make>
int64_t draw_chain(G& bits, Unit unit, KeptNormal& kept, std::span<T> out, const Make& make) {
  using Reader = ReaderFor<G>;
  struct Slot {
    Slot(const BlockStream<G>& stream, const Make& make)
        : reader(stream), draw(make(reader)), ahead(reader.end()), after(stream.bits()) {}
    Reader reader;
    decltype(make(std::declval<Reader&>())) draw;
    DrawnAhead<T> ahead;
    G after;
    T* to = nullptr;
  };
  BlockStream<G> stream(bits, unit, block_words(static_cast<int64_t>(out.size()) / (unit == Unit::half ? 2 : 1)));
  PlacedBlocks<G> placed{.kept = kept, .after = bits};
  const auto draw = [&](Slot& slot) {
    const int64_t number = slot.reader.take(stream);
    if (number < 0) return number;
    slot.ahead.draw(slot.reader, slot.draw);
    slot.after = slot.reader.after();
    return number;
  };
  const auto place = [&](Slot& slot) {
    if (!slot.ahead.join(slot.reader, slot.draw, placed, out)) return false;
    slot.to = out.data() + placed.count;
    placed.count += static_cast<int64_t>(slot.ahead.rest().size());
    ++placed.blocks;
    placed.after = slot.after;
    stream.set_limit(placed.blocks_for(static_cast<int64_t>(out.size())));
    return true;
  };
  run_blocks<Slot>([&] { return std::make_unique<Slot>(stream, make); }, draw, place,
                   [](const Slot& slot) { std::ranges::copy(slot.ahead.rest(), slot.to); });
  bits = placed.after;
  for (; placed.entry > 0; --placed.entry) unit == Unit::half ? bits.next32() : bits.next64();
  kept = placed.kept;
  return placed.count;
}

}  // namespace tessera::library
