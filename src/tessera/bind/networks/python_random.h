/// Draws from an object of Python's `random.Random`, with the numbers it would give.
#pragma once

#include <Python.h>

#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/library/random/bit_generator.h"
#include "tessera/routines/networks/csr.h"

namespace tessera::bind::networks {

/// Takes the generator's state until it is given back; Python code may not draw meanwhile.
class PythonRandom {
 public:
  /// Whether `generator` is a `random.Random` itself: a class of its own may draw in another way.
  static bool can_draw_from(PyObject* generator);

  explicit PythonRandom(PyObject* generator);
  PythonRandom(const PythonRandom&) = delete;
  PythonRandom& operator=(const PythonRandom&) = delete;

  /// A number in [0, n), as `randrange(n)`; 0 < n < 2**31.
  uint32_t below(uint32_t n);
  /// Sets the generator's state to what it would be after the draws.
  void give_back();
  void shuffle(std::vector<routines::networks::Node>& nodes);

 private:
  Object generator_, state_;
  library::Mt19937 twister_;
};

/// The numbers of `nodes` nodes as `generator.shuffle` leaves them.
std::vector<routines::networks::Node> shuffled_nodes(PyObject* generator, int64_t nodes);

}  // namespace tessera::bind::networks
