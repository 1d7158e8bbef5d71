/// StreamDraw: a call that draws numbers of a seeded stream: its arguments, and its parts on host and device.
#pragma once

#include <cstring>
#include <memory>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/bounded.h"
#include "tessera/library/random/kept_normal.h"
#include "tessera/routines/calls.h"
#include "tessera/routines/stream_draw/kernels.h"

namespace tessera::routines {

/// The operand is the generator's state as words, in the order of library::BitGenerator::state(); so is the second
/// result, after the draw. Of polar normals two words follow: whether a normal is kept, and its bits.
struct StreamDraw {
  enum class Generator : uint8_t { pcg64, pcg64dxsm, philox, mt19937 };

  Generator generator;
  DrawMethod method;
  DType dtype;
  /// Numbers: first + second * x where the draw is scaled; integers: the least and the range, as bits.
  bool is_scaled;
  int64_t first, second;
  std::span<const int64_t> shape;

  explicit StreamDraw(const ops::Arguments& a)
      : generator{static_cast<Generator>(a.integer(0))},
        method{static_cast<DrawMethod>(a.integer(1))},
        dtype(a.dtype(2)),
        is_scaled(a.boolean(3)),
        first(a.integer(4)),
        second(a.integer(5)),
        shape(a.from(6)) {}

  int64_t count() const;
  bool is_integer() const { return method == DrawMethod::bounded || method == DrawMethod::masked; }
  uint64_t range() const { return static_cast<uint64_t>(second); }
  double real(int64_t bits) const { return std::bit_cast<double>(bits); }
  bool is_polar() const { return method == DrawMethod::polar; }
  /// The words of the generator's state, without a kept normal.
  int64_t generator_words() const;
  int64_t state_words() const { return generator_words() + (is_polar() ? 2 : 0); }
};

/// A state as it lies in memory.
class DrawState {
 public:
  DrawState(const StreamDraw& draw, const void* words);
  std::span<const uint64_t> generator() const { return generator_; }
  const library::KeptNormal& kept() const { return kept_; }
  static void write(const StreamDraw& draw, const library::BitGenerator& bits, const library::KeptNormal& kept,
                    void* words);

 private:
  std::span<const uint64_t> generator_;
  library::KeptNormal kept_;
};

/// Draws to host memory.
void draw_numbers(const StreamDraw& draw, library::BitGenerator& bits, library::KeptNormal& kept, char* out);

/// Calls f with the generator of this state.
template <class F>
decltype(auto) with_generator(StreamDraw::Generator kind, std::span<const uint64_t> state, F&& f) {
  const auto call = [&](auto&& bits) {
    bits.set_state(state);
    return f(bits);
  };
  switch (kind) {
    case StreamDraw::Generator::pcg64: return call(library::Pcg64(0, 0));
    case StreamDraw::Generator::pcg64dxsm: return call(library::Pcg64Dxsm(0, 0));
    case StreamDraw::Generator::philox: return call(library::Philox({}));
    case StreamDraw::Generator::mt19937: return call(library::Mt19937());
  }
  std::unreachable();
}

void draw_stream_on_device(DeviceCall& call);

}  // namespace tessera::routines
