#include "tessera/library/random/bounded.h"

#include <bit>
#include <cstring>

#include "tessera/base/error.h"

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

/// draw() gives uniform Words; range is below Word's largest value.
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

uint64_t draw_bounded(BitGenerator& bits, uint64_t range, Rejection rejection) { return bounded64(bits, range, rejection); }

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

void fill_integers(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection, int64_t count,
                   char* out) {
  with_concrete(bits, [&](auto& source) {
    WordPieces pieces;
    if (is_boolean(dtype)) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<char>(bounded_bool(source, static_cast<uint8_t>(offset), static_cast<uint8_t>(range), pieces));
      }
      return;
    }
    with_word(dtype, [&]<class Word>(Word) {
      auto* words = reinterpret_cast<Word*>(out);
      for (int64_t i = 0; i < count; ++i) {
        words[i] = static_cast<Word>(offset + bounded<Word>(source, static_cast<Word>(range), rejection, pieces));
      }
    });
  });
}

}  // namespace tessera::library
