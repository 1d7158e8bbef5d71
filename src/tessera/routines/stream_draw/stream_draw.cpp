// stream_draw: seeded random numbers with NumPy's bits, and the state after them.
#include "tessera/routines/stream_draw/stream_draw.h"

#include <functional>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/library/random/fill.h"
#include "tessera/library/random/skip.h"
#include "tessera/routines/list.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

int64_t StreamDraw::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

int64_t StreamDraw::generator_words() const {
  switch (generator) {
    case Generator::pcg64:
    case Generator::pcg64dxsm: return 6;
    case Generator::philox: return 13;
    case Generator::mt19937: return library::Mt19937::size + 1;
  }
  std::unreachable();
}

DrawState::DrawState(const StreamDraw& draw, const void* words)
    : generator_(static_cast<const uint64_t*>(words), static_cast<size_t>(draw.generator_words())) {
  if (draw.is_polar()) kept_ = {generator_.end()[0] != 0, std::bit_cast<double>(generator_.end()[1])};
}

void DrawState::write(const StreamDraw& draw, const library::BitGenerator& bits, const library::KeptNormal& kept,
                      void* words) {
  auto* const end = std::ranges::copy(bits.state(), static_cast<uint64_t*>(words)).out;
  if (!draw.is_polar()) return;
  end[0] = kept.has;
  end[1] = std::bit_cast<uint64_t>(kept.value);
}

namespace {

template <class T>
void draw_reals(const StreamDraw& draw, library::BitGenerator& bits, std::span<T> out) {
  const double first = draw.real(draw.first), second = draw.real(draw.second);
  if constexpr (std::is_same_v<T, double>) {
    if (draw.is_scaled) {
      if (draw.method == DrawMethod::uniform) return library::fill_uniform(bits, out, first, second);
      if (draw.method == DrawMethod::normal) return library::fill_normal(bits, out, first, second);
      return library::fill_exponential(bits, out, second);
    }
  }
  if (draw.method == DrawMethod::uniform) return library::fill_uniform(bits, out);
  if (draw.method == DrawMethod::normal) return library::fill_normal(bits, out);
  library::fill_exponential(bits, out);
}

}  // namespace

void draw_numbers(const StreamDraw& draw, library::BitGenerator& bits, library::KeptNormal& kept, char* out) {
  const int64_t count = draw.count();
  if (draw.is_polar()) {
    const std::span<double> reals(reinterpret_cast<double*>(out), static_cast<size_t>(count));
    if (!draw.is_scaled) return library::fill_polar_normal(bits, kept, reals);
    return library::fill_polar_normal(bits, kept, reals, draw.real(draw.first), draw.real(draw.second));
  }
  if (draw.is_integer()) {
    const auto rejection = draw.method == DrawMethod::masked ? library::Rejection::mask : library::Rejection::multiply;
    return library::fill_integers(bits, draw.dtype, static_cast<uint64_t>(draw.first), draw.range(), rejection, count,
                                  out);
  }
  const auto size = static_cast<size_t>(count);
  if (draw.dtype == DType::float32) return draw_reals(draw, bits, std::span(reinterpret_cast<float*>(out), size));
  draw_reals(draw, bits, std::span(reinterpret_cast<double*>(out), size));
}

namespace {

void draw_stream_on_host(HostCall& call) {
  const StreamDraw draw(call.arguments);
  const DrawState before(draw, call.operand().data);
  library::KeptNormal kept = before.kept();
  with_generator(draw.generator, before.generator(), [&](library::BitGenerator& bits) {
    draw_numbers(draw, bits, kept, call.result(0).data);
    DrawState::write(draw, bits, kept, call.result(1).data);
  });
}

void infer(const ops::CallView& call, std::span<ops::ResultType> results) {
  require<ValueError>(call.arguments.size() >= 6 && call.arguments.integer(0) >= 0 && call.arguments.integer(0) <= 3,
                      "stream_draw: no generator {}", call.arguments.integer(0));
  require<ValueError>(
      call.arguments.integer(1) >= 0 && call.arguments.integer(1) <= static_cast<int>(DrawMethod::polar),
      "stream_draw: no method {}", call.arguments.integer(1));
  const int64_t dtype = call.arguments.integer(2);
  require<TypeError>(dtype >= 0 && dtype <= static_cast<int64_t>(DType::complex128), "stream_draw: no dtype {}", dtype);
  const StreamDraw draw(call.arguments);
  const bool fits = draw.is_integer() ? is_boolean(draw.dtype) || is_integer(draw.dtype)
                                      : draw.dtype == DType::float64 ||
                                            (draw.dtype == DType::float32 && !draw.is_scaled && !draw.is_polar());
  require<TypeError>(fits, "stream_draw: no such numbers of dtype {}", draw.dtype);
  const View& state = call.operand(0);
  require<ValueError>(state.dtype == DType::uint64 && state.ndim() == 1 && state.size() == draw.state_words(),
                      "stream_draw: the state has {} words of {}, but {} of uint64 are needed", state.size(),
                      state.dtype, draw.state_words());
  checked_size(draw.shape, itemsize(draw.dtype));
  results[0] = {Dims(draw.shape), draw.dtype};
  results[1] = {Dims{draw.state_words()}, DType::uint64};
}

ops::Cost cost_of_draw(const ops::CallView& call) {
  const StreamDraw draw(call.arguments);
  const bool is_direct = draw.method == DrawMethod::uniform;
  return ops::cost_by_element("seeded draw", draw.count(), is_direct ? 4 : 8,
                              static_cast<double>(itemsize(draw.dtype)) * (is_direct ? 1 : 2), is_direct ? 0 : 2,
                              is_direct ? 1 : 4);
}

bool suits_device(const ops::CallView& call) {
  const StreamDraw draw(call.arguments);
  if (draw.count() == 0) return false;
  // Chains ask for words anywhere, and the twister's are found one after the other.
  const bool is_chain = draw.method == DrawMethod::normal || draw.method == DrawMethod::exponential;
  if (draw.generator == StreamDraw::Generator::mt19937 && is_chain) return false;
  return !draw.is_integer() || (draw.range() != 0 && itemsize(draw.dtype) >= 4);
}

bool take_numbers(std::span<uint64_t> words, ops::Arguments& arguments, int64_t begin, int64_t end) {
  const StreamDraw draw(arguments);
  bool is_there = begin == 0;
  if (begin > 0 && draw.method == DrawMethod::uniform) {
    const auto unit = draw.dtype == DType::float32 ? library::Unit::half : library::Unit::word;
    is_there = with_generator(draw.generator, words, [&](library::BitGenerator& bits) {
      if (!library::try_walk(bits, unit, begin)) return false;
      std::ranges::copy(bits.state(), words.begin());
      return true;
    });
  }
  ops::Arguments part;
  for (const int64_t bits : arguments.bits().first(arguments.bits().size() - draw.shape.size())) part.add(bits);
  part.add(end - begin);
  arguments = part;
  return is_there;
}

}  // namespace

void add_stream_draw(Table& table) {
  using ops::ParameterKind;
  table.add({.routine = {.name = "stream_draw",
                         .doc = "Seeded random numbers with NumPy's bits from a generator's state, and the state after "
                                "them.",
                         .parameters = {{"state"},
                                        {"generator", ParameterKind::integer},
                                        {"method", ParameterKind::integer},
                                        {"dtype", ParameterKind::integer},
                                        {"is_scaled", ParameterKind::boolean},
                                        {"first", ParameterKind::integer},
                                        {"second", ParameterKind::integer},
                                        {"shape", ParameterKind::integers}},
                         .result_count = 2,
                         .infer = infer,
                         .cost = cost_of_draw},
             .on_host = draw_stream_on_host,
             .on_device = draw_stream_on_device,
             .suits_device = suits_device,
             .take_numbers = take_numbers,
             .words_on_host = true});
}

}  // namespace tessera::routines
