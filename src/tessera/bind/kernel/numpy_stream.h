/// NumpyStream: single draws from NumPy's global stream of random numbers, while a compiled function runs.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/bind/array/object.h"
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
  /// The addresses of the function that gives the next number from 0 to 1, and of its argument; that number's bits.
  int64_t source(int64_t which) const;
  int64_t next_bits();
  /// Takes over the second normal number, and gives it back: around calls of NumPy's own functions.
  void begin();
  void finish();

 private:
  void seed(uint32_t value);

  Object owner_, capsule_;
  const library::ForeignBits::Table* table_ = nullptr;  // NumPy's bitgen_t
  std::optional<library::ForeignBits> bits_;
  std::optional<library::Sampler> sampler_;
  bool draws_normal_;
  bool had_second_ = false;
  bool is_mersenne_ = false;
};

/// The same of a stream of the running thread's own, which is not NumPy's: in parallel loops.
int64_t draw_apart(const int64_t* operands);

}  // namespace tessera::bind
