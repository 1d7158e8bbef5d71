// Long draws of a seeded stream where a device may be used: calls of the routine "stream_draw", placed as all calls.
#include <algorithm>
#include <bit>
#include <mutex>

#include "tessera/engine/host_access.h"
#include "tessera/engine/random/random_stream.h"
#include "tessera/library/random/skip.h"

namespace tessera {

namespace {

/// From so many numbers on, a device is considered.
constexpr int64_t worth_a_device = int64_t{1} << 15;

/// The generator as the routine numbers them; nothing for those that it does not know.
std::optional<int> number_of(library::BitGenerator& bits) {
  if (dynamic_cast<library::Pcg64*>(&bits)) return 0;
  if (dynamic_cast<library::Pcg64Dxsm*>(&bits)) return 1;
  if (dynamic_cast<library::Philox*>(&bits)) return 2;
  if (dynamic_cast<library::Mt19937*>(&bits)) return 3;
  return std::nullopt;
}

/// The call of the routine that draws these numbers, from any state.
class DrawCall {
 public:
  DrawCall(Engine& engine, int generator, const StreamDraw& draw, std::span<const int64_t> shape)
      : engine_(engine),
        arguments_{generator, static_cast<int>(draw.method), draw.dtype, draw.is_scaled, draw.first, draw.second} {
    for (int64_t extent : shape) arguments_.add(extent);
  }

  /// Results: the numbers, and the state after them.
  void run(std::span<const uint64_t> before, std::span<Array, 2> results) const {
    static const ops::Routine& routine = Engine::routine("stream_draw");
    const auto words = static_cast<int64_t>(before.size());
    const HostResult state(engine_, {&words, 1}, DType::uint64);
    std::ranges::copy(before, reinterpret_cast<uint64_t*>(state.data()));
    engine_.call(routine, {&state.array(), 1}, arguments_, {}, results);
  }

 private:
  Engine& engine_;
  ops::Arguments arguments_;
};

/// Where each unit is a number, the state after the draw is known at once, and the numbers may be drawn later. Nothing
/// for generators that cannot jump; with `walks` the twister does so by way of all words.
std::optional<Array> draw_later(RandomBits& bits, const DrawCall& call, library::Unit unit, int64_t count, bool walks) {
  std::vector<uint64_t> before, after;
  {
    std::lock_guard lock(bits.mutex);
    before = bits.generator->state();
    if (!(walks ? library::try_walk : library::try_skip)(*bits.generator, unit, count)) return std::nullopt;
    after = bits.generator->state();
  }
  Array results[2];
  try {
    call.run(before, results);
  } catch (...) {
    std::lock_guard lock(bits.mutex);
    if (bits.generator->state() == after) bits.generator->set_state(before);
    throw;
  }
  return results[0];
}

}  // namespace

std::optional<Array> RandomStream::draw_anywhere(Engine& engine, const StreamDraw& draw,
                                                 std::span<const int64_t> shape) {
  int64_t count = 1, nbytes = 0;
  for (const int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  if (__builtin_mul_overflow(count, itemsize(draw.dtype), &nbytes)) return std::nullopt;
  const bool is_over_ranks = engine.devices().goes_over_ranks(count);
  if (!is_over_ranks && (count < worth_a_device || !engine.devices().may_leave_host())) return std::nullopt;
  const std::optional<int> generator = number_of(this->generator());
  if (!generator) return std::nullopt;
  // What nobody has room for fails at the call, before anything is drawn.
  if (!is_over_ranks && nbytes > engine.devices().room()) return std::nullopt;
  const DrawCall call(engine, *generator, draw, shape);
  if (draw.method == StreamDraw::Method::uniform) {
    const auto unit = draw.dtype == DType::float32 ? library::Unit::half : library::Unit::word;
    if (auto drawn = draw_later(*bits_, call, unit, count, is_over_ranks)) return drawn;
  }
  const bool is_polar = draw.method == StreamDraw::Method::polar;
  // What the numbers depend on, as the routine reads it.
  const auto state_of = [&](library::BitGenerator& bits) {
    std::vector<uint64_t> words = bits.state();
    if (is_polar) words.insert(words.end(), {sampler_.kept.has, std::bit_cast<uint64_t>(sampler_.kept.value)});
    return words;
  };
  for (;;) {
    const std::vector<uint64_t> before = locked(state_of);
    Array results[2];
    call.run(before, results);
    std::span after(reinterpret_cast<const uint64_t*>(engine.read(results[1])), before.size());
    // Nothing is locked while the draw runs: where another thread drew meanwhile, these numbers are its own.
    const bool is_ours = locked([&](library::BitGenerator& bits) {
      if (state_of(bits) != before) return false;
      if (is_polar) {
        sampler_.kept = {after.end()[-2] != 0, std::bit_cast<double>(after.end()[-1])};
        after = after.first(after.size() - 2);
      }
      bits.set_state(after);
      return true;
    });
    if (is_ours) return results[0];
  }
}

}  // namespace tessera
