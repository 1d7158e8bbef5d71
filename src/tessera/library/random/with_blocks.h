/// Selects the generators and run lengths that are drawn in blocks.
#pragma once

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/draw_blocks.h"
#include "tessera/library/random/kept_normal.h"

namespace tessera::library {

/// From this run length on, using several threads amortises.
inline constexpr size_t worth_blocks = size_t{1} << 15;

/// Calls draw(generator), which returns how many of `count` numbers it drew, if the run is long and the generator can
/// be split over threads; else returns 0. SFC64 has no known jump function, and external generators have no state to
/// copy.
template <class Draw>
int64_t with_blocks(BitGenerator& bits, size_t count, Draw&& draw, size_t worth = worth_blocks) {
  if (count < worth || runtime::thread_count() == 1) return 0;
  if (auto* p = dynamic_cast<Pcg64*>(&bits)) return draw(*p);
  if (auto* p = dynamic_cast<Mt19937*>(&bits)) return draw(*p);
  if (auto* p = dynamic_cast<Pcg64Dxsm*>(&bits)) return draw(*p);
  if (auto* p = dynamic_cast<Philox*>(&bits)) return draw(*p);
  return 0;
}

/// Whether the generator holds an unused half of a word.
template <class G>
bool has_half(G& bits) {
  if constexpr (std::is_same_v<G, Mt19937>)
    return false;
  else
    return bits.halves().has;
}

/// Adapts draw(bits), which has no state besides the bits.
template <class Reader, class Draw>
class PlainDraw {
 public:
  PlainDraw(Reader& reader, const Draw& draw) : reader_(reader), draw_(draw) {}
  auto operator()() { return draw_(reader_); }
  KeptNormal& kept() { return none_; }

 private:
  Reader& reader_;
  const Draw& draw_;
  KeptNormal none_;
};

}  // namespace tessera::library
