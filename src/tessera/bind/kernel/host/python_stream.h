/// PythonStream: draws from the stream of Python's module random, while a compiled function runs.
#pragma once

#include <cstdint>

#include "tessera/bind/array/object.h"
#include "tessera/kernel/options.h"

namespace tessera::bind {

/// CPython's generator is advanced where it lies; the second of a pair of normal numbers, which its object keeps as an
/// attribute, is taken over at the first draw of one and given back by `finish`.
class PythonStream {
 public:
  /// Operands are those of kernel::HostFunction::draw_python.
  int64_t draw(const int64_t* operands);
  /// An address, of which more is drawn.
  int64_t source(kernel::RandomSource which);
  uint32_t next_word();
  double next();
  /// Before Python's own functions may draw, and at the end.
  void finish();

 private:
  void begin();
  [[gnu::noinline]] void refill();
  [[gnu::noinline]] void take_second();
  double draw_normal();
  void seed(int64_t value);

  Object owner_;
  int* index_ = nullptr;       // of the next word
  uint32_t* words_ = nullptr;  // of the Mersenne twister's state
  bool holds_second_ = false, has_second_ = false;
  double second_ = 0;
};

}  // namespace tessera::bind
