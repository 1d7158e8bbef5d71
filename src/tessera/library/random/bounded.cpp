#include "tessera/library/random/bounded.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/library/random/with_blocks.h"

namespace tessera::library {

namespace {

/// All ones up to the highest bit of range.
uint64_t mask_of(uint64_t range) { return range ? ~uint64_t{0} >> std::countl_zero(range) : 0; }

template <class Word>
struct Twice;
template <>
struct Twice<uint8_t> {
  using type = uint16_t;
};
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<uint64_t> {
  using type = uint128;
};

/// draw() returns uniform Words; range is below Word's largest value.
template <class Word, class Draw>
Word by_multiplication(Word range, Draw&& draw) {
  using Wide = typename Twice<Word>::type;
  constexpr int width = 8 * sizeof(Word);
  const Word count = static_cast<Word>(range + 1);
  Wide product = static_cast<Wide>(static_cast<Wide>(draw()) * count);
  Word low = static_cast<Word>(product);
  if (low < count) {
    const Word threshold = static_cast<Word>(static_cast<Word>(static_cast<Word>(~Word{0}) - range) % count);
    while (low < threshold) {
      product = static_cast<Wide>(static_cast<Wide>(draw()) * count);
      low = static_cast<Word>(product);
    }
  }
  return static_cast<Word>(product >> width);
}

template <class Word, class Draw>
Word by_mask(Word range, Draw&& draw) {
  const Word mask = static_cast<Word>(mask_of(range));
  Word value;
  do {
    value = static_cast<Word>(draw() & mask);
  } while (value > range);
  return value;
}

template <class Word, class Draw>
Word in_range(Word range, Rejection rejection, Draw&& draw) {
  if (range == static_cast<Word>(~Word{0})) return draw();
  return rejection == Rejection::mask ? by_mask<Word>(range, draw) : by_multiplication<Word>(range, draw);
}

template <class Bits>
uint64_t bounded64(Bits& bits, uint64_t range, Rejection rejection) {
  if (range == 0) return 0;
  if (range <= 0xffffffffu) {
    return in_range<uint32_t>(static_cast<uint32_t>(range), rejection, [&] { return bits.next32(); });
  }
  return in_range<uint64_t>(range, rejection, [&] { return bits.next64(); });
}

/// The next `width` bits of the current 32-bit word.
template <class Bits>
uint32_t next_piece(Bits& bits, int width, WordPieces& pieces) {
  if (pieces.left == 0) {
    pieces.word = bits.next32();
    pieces.left = 32 / width - 1;
  } else {
    pieces.word >>= width;
    --pieces.left;
  }
  return pieces.word;
}

template <class Word, class Bits>
Word bounded(Bits& bits, Word range, Rejection rejection, WordPieces& pieces) {
  if (range == 0) return 0;
  if constexpr (sizeof(Word) == 8) {
    return bounded64(bits, range, rejection);
  } else if constexpr (sizeof(Word) == 4) {
    return in_range<Word>(range, rejection, [&] { return bits.next32(); });
  } else {
    return in_range<Word>(range, rejection,
                          [&] { return static_cast<Word>(next_piece(bits, 8 * sizeof(Word), pieces)); });
  }
}

template <class F>
decltype(auto) with_word(DType dtype, F&& f) {
  require<TypeError>(is_boolean(dtype) || is_integer(dtype), "Unsupported dtype dtype('{}') for integers", dtype);
  switch (itemsize(dtype)) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

template <class Bits>
uint8_t bounded_bool(Bits& bits, uint8_t offset, uint8_t range, WordPieces& pieces) {
  if (range == 0) return offset;
  return next_piece(bits, 1, pieces) & 1;
}

}  // namespace

uint64_t draw_bounded(BitGenerator& bits, uint64_t range, Rejection rejection) {
  return bounded64(bits, range, rejection);
}

uint64_t draw_interval(BitGenerator& bits, uint64_t range) {
  if (range == 0) return 0;
  const uint64_t mask = mask_of(range);
  uint64_t value;
  do {
    value = (range <= 0xffffffffu ? bits.next32() : bits.next64()) & mask;
  } while (value > range);
  return value;
}

uint64_t draw_integer(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection,
                      WordPieces& pieces) {
  if (is_boolean(dtype)) return bounded_bool(bits, static_cast<uint8_t>(offset), static_cast<uint8_t>(range), pieces);
  return with_word(dtype, [&]<class Word>(Word) {
    return static_cast<uint64_t>(
        static_cast<Word>(offset + bounded<Word>(bits, static_cast<Word>(range), rejection, pieces)));
  });
}

namespace {

/// Draws from a run of pieces: those in range are written to out contiguously. Returns their number.
template <class Piece, class Word>
int64_t take_by_mask(const Piece* pieces, int64_t count, Piece range, Word offset, Word* out) {
  const auto mask = static_cast<Piece>(mask_of(range));
  int64_t taken = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<Piece>(pieces[i] & mask);
    out[taken] = static_cast<Word>(offset + value);
    taken += value <= range;
  }
  return taken;
}

/// Optimised for groups without a rejected piece, which most are.
template <class Piece, class Word>
int64_t take_by_multiplication(const Piece* pieces, int64_t count, Piece range, Word offset, Word* out) {
  using Wide = typename Twice<Piece>::type;
  constexpr int group = 16, width = 8 * sizeof(Piece);
  const auto scale = static_cast<Piece>(range + 1);
  const auto threshold = static_cast<Piece>(static_cast<Piece>(static_cast<Piece>(~Piece{0}) - range) % scale);
  const auto product = [=](Piece piece) { return static_cast<Wide>(static_cast<Wide>(piece) * scale); };
  Word* const first = out;
  for (int64_t at = 0; at < count; at += group, pieces += group) {
    bool refused = false;
    for (int k = 0; k < group; ++k) {
      const Wide wide = product(pieces[k]);
      out[k] = static_cast<Word>(offset + static_cast<Piece>(wide >> width));
      refused |= static_cast<Piece>(wide) < threshold;
    }
    if (!refused) [[likely]] {
      out += group;
      continue;
    }
    for (int k = 0; k < group; ++k) {
      const Wide wide = product(pieces[k]);
      *out = static_cast<Word>(offset + static_cast<Piece>(wide >> width));
      out += static_cast<Piece>(wide) >= threshold;
    }
  }
  return out - first;
}

/// Integers of type Word from pieces of the stream; 64-bit integers with a range below 2^32 use 32-bit pieces.
template <class Piece, class Word, class G>
int64_t draw_pieces(G& source, uint64_t range, uint64_t offset, Rejection rejection, std::span<Word> out) {
  constexpr int64_t per_word = 8 / sizeof(Piece);
  const auto most = static_cast<Piece>(range);
  const auto low = static_cast<Word>(offset);
  return draw_compacted(source, sizeof(Piece) == 8 ? Unit::word : Unit::half, per_word, out,
                        [=](const uint64_t* words, int64_t count, Word* to) {
                          const auto* pieces = reinterpret_cast<const Piece*>(words);
                          if (rejection == Rejection::mask || most == static_cast<Piece>(~Piece{0})) {
                            return take_by_mask<Piece, Word>(pieces, count * per_word, most, low, to);
                          }
                          return take_by_multiplication<Piece, Word>(pieces, count * per_word, most, low, to);
                        });
}

template <class G>
int64_t draw_bools(G& source, std::span<uint8_t> out) {
  return draw_each(source, Unit::half, 64, out, [](const uint64_t* words, int64_t count, uint8_t* to) {
    for (int64_t i = 0; i < count; ++i) {
      for (int k = 0; k < 64; ++k) to[64 * i + k] = words[i] >> k & 1;
    }
  });
}

template <class Word, class G>
int64_t draw_words(G& source, uint64_t range, uint64_t offset, Rejection rejection, std::span<Word> out) {
  if constexpr (sizeof(Word) == 8) {
    if (range <= 0xffffffffu) return draw_pieces<uint32_t, Word>(source, range, offset, rejection, out);
  }
  return draw_pieces<Word, Word>(source, range, offset, rejection, out);
}

/// First draw(source, i) one by one while `pieces` or the generator holds part of a word; then many(source, done),
/// which draws blocks of whole words and returns their count; the rest again one by one.
template <class Draw, class Many>
void fill_in_blocks(BitGenerator& bits, int64_t count, bool reads_halves, const WordPieces& pieces, Draw&& draw,
                    Many&& many) {
  int64_t done = 0;
  with_blocks(bits, static_cast<size_t>(count), [&](auto& source) {
    // Blocks begin at a word boundary, so a partially used word is consumed first.
    for (; reads_halves && done < count && (pieces.left || has_half(source)); ++done) draw(source, done);
    return done += many(source, done);
  });
  with_concrete(bits, [&](auto& source) {
    for (; done < count; ++done) draw(source, done);
  });
}

}  // namespace

void fill_integers(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection, int64_t count,
                   char* out) {
  WordPieces pieces;
  if (is_boolean(dtype)) {
    auto* bytes = reinterpret_cast<uint8_t*>(out);
    const auto low = static_cast<uint8_t>(offset), most = static_cast<uint8_t>(range);
    if (most == 0) return static_cast<void>(std::memset(out, low, static_cast<size_t>(count)));
    return fill_in_blocks(
        bits, count, true, pieces, [&](auto& source, int64_t i) { bytes[i] = bounded_bool(source, low, most, pieces); },
        [&](auto& source, int64_t done) {
          return draw_bools(source, std::span(bytes + done, static_cast<size_t>(count - done)));
        });
  }
  with_word(dtype, [&]<class Word>(Word) {
    auto* words = reinterpret_cast<Word*>(out);
    if (range == 0) return static_cast<void>(std::fill_n(words, count, static_cast<Word>(offset)));
    fill_in_blocks(
        bits, count, range <= 0xffffffffu || sizeof(Word) < 8, pieces,
        [&](auto& source, int64_t i) {
          words[i] = static_cast<Word>(offset + bounded<Word>(source, static_cast<Word>(range), rejection, pieces));
        },
        [&](auto& source, int64_t done) {
          return draw_words<Word>(source, range, offset, rejection,
                                  std::span(words + done, static_cast<size_t>(count - done)));
        });
  });
}

}  // namespace tessera::library
