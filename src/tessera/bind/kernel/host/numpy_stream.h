/// NumpyStream: single draws from NumPy's global stream of random numbers, while a compiled function runs.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/bind/array/object.h"
#include "tessera/kernel/options.h"
#include "tessera/library/random/sampler.h"

namespace tessera::bind {

/// NumPy's generator is advanced itself; the second number of a pair of normal ones, which NumPy keeps beside it, is
/// taken over at the start and given back at the end. No Python runs while numbers are drawn.
class NumpyStream {
 public:
  explicit NumpyStream(bool draws_normal);
  ~NumpyStream();
  NumpyStream(const NumpyStream&) = delete;
  NumpyStream& operator=(const NumpyStream&) = delete;

  /// Operands are those of kernel::HostFunction::draw; the bits of a double.
  int64_t draw(const int64_t* operands);
  /// An address; of another generator than the Mersenne twister the place is behind all words.
  int64_t source(kernel::RandomSource which);
  /// The bits of the next number from 0 to 1, and the next word.
  int64_t next_bits();
  int64_t next_word() { return bits_->next32(); }
  /// Takes over the second normal number, and gives it back: around calls of NumPy's own functions.
  void begin();
  void finish();

 private:
  static double next_normal(void* stream);
  void seed(uint32_t value);
  library::Mt19937::State* mersenne_state() const;

  Object owner_, capsule_;
  const library::ForeignBits::Table* table_ = nullptr;  // NumPy's bitgen_t
  std::optional<library::ForeignBits> bits_;
  std::optional<library::Mt19937> twister_;  // NumPy's own state, where it is that
  std::optional<library::Sampler> sampler_;
  bool draws_normal_;
  bool had_second_ = false;
};

/// The same of a stream of the running thread's own, which is not NumPy's: in parallel loops.
int64_t draw_apart(const int64_t* operands);

}  // namespace tessera::bind
