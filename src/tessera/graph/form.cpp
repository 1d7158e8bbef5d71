#include "tessera/graph/form.h"

#include <algorithm>

#include "tessera/graph/freelist.h"

namespace tessera::graph {

namespace {

/// Sums of independent products: the multiplications overlap, where a running hash would wait for each.
struct Mixer {
  uint64_t sum = 0;
  uint64_t factor = 0x9E3779B97F4A7C15ull;

  void add(uint64_t word) {
    sum += (word ^ factor >> 7) * factor;
    factor += 0xD1342543DE82EF96ull;  // even, so every factor stays odd
  }
  void add(const Dims& dims) {
    for (int64_t value : dims) add(static_cast<uint64_t>(value));
  }
};

uint64_t hash_of(const Form& form) {
  Mixer mixer;
  mixer.add(static_cast<uint64_t>(form.kind) | uint64_t{form.input_count} << 8 | uint64_t{form.result} << 16 |
            uint64_t{form.events} << 24 | uint64_t{form.op} << 32 | static_cast<uint64_t>(form.reduce) << 48 |
            uint64_t{form.pinned} << 56);
  mixer.add(form.axes);
  mixer.add(reinterpret_cast<uintptr_t>(form.signature));
  mixer.add(static_cast<uint64_t>(form.dtype) | form.shape.size() << 8);
  mixer.add(form.shape);
  mixer.add(form.strides);
  for (int i = 0; i < form.input_count; ++i) {
    const InputForm& input = form.inputs[i];
    mixer.add(static_cast<uint64_t>(input.dtype) | uint64_t{input.scalar} << 8 | input.strides.size() << 16);
    mixer.add(input.strides);
  }
  return mixer.sum ^ mixer.sum >> 29;
}

}  // namespace

Form* Form::make() { return freelist<Form>().take(); }
void Form::destroy(Form* form) { freelist<Form>().give(form); }

void Form::set_hash() { hash = hash_of(*this); }

bool Form::matches(const Form& other) const {
  return kind == other.kind && input_count == other.input_count && result == other.result && events == other.events &&
         op == other.op && pinned == other.pinned && reduce == other.reduce && dtype == other.dtype && axes == other.axes &&
         signature == other.signature && site == other.site && shape == other.shape && strides == other.strides &&
         std::equal(inputs, inputs + input_count, other.inputs);
}

}  // namespace tessera::graph
