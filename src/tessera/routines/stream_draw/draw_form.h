/// DrawForm: which numbers kernels draw from a stream, and what they tell the host.
#pragma once

#include <string>

#include "tessera/routines/stream_draw/stream_words.h"

namespace tessera::routines {

enum class DrawMethod : uint8_t {
  uniform,      // each unit is a number
  bounded,      // integers by multiplication: units whose product's lower half is below a threshold are rejected
  masked,       // integers by masking and rejection
  normal,       // ziggurat
  exponential,  // ziggurat
  polar,        // normals in pairs: units are pairs of words, of which those outside of the circle are rejected
};

/// A kernel's form.
struct DrawForm {
  WordSource source;
  DrawMethod method;
  DType dtype;             // of the numbers: float64, float32, uint64 or uint32
  bool is_half = false;    // numbers are drawn from halves of words
  bool is_scaled = false;  // first + second * x, of two parameters

  bool is_polar() const { return method == DrawMethod::polar; }
  int64_t units() const { return is_half ? 2 * draw_words : is_polar() ? draw_words / 2 : draw_words; }  // of a block
  bool is_chain() const { return method == DrawMethod::normal || method == DrawMethod::exponential; }
  std::string text() const;
};

constexpr int draw_entries = 32;         // units of a block at which a chain may enter it
constexpr int most_rare_attempts = 512;  // of a block: those that its first unit does not decide
constexpr int fields_of_pair = 4;        // whose logarithm the host computes: square, place, x, y
constexpr int fields_of_tail = 2;        // a uniform number with the result's sign, place

/// What kernels tell the host, as words.
enum DrawStatus : int {
  gives_up,   // not 0: a case that the kernels do not follow
  undecided,  // attempts that the host must decide: their units are in `undecided`
  tails,      // numbers, or pairs, that the host computes: what it needs and their places are in `tails`
  last,       // the unit of the last number
  tickets,    // blocks that have begun
  status_words = 8,
};
/// An attempt that the host decided: its unit, and how many units it takes and whether it yields a number.
constexpr int64_t decided(int64_t unit, int64_t length, bool yields) { return unit << 16 | length << 1 | yields; }
constexpr int64_t most_undecided = 4096;

/// Words that blocks tell those behind them: numbers, and in the top bits whether they are the block's own or, 2, all
/// up to its end; 0: not known yet. The same of exits of chains, with a bit above the unit.
constexpr int draw_count_bits = 48;
constexpr int64_t draw_exit_known = 256;

}  // namespace tessera::routines
