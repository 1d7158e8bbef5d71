// Long draws of a seeded stream where a device may be used: calls of the routine "stream_draw", placed as all calls.
#include <algorithm>
#include <bit>
#include <mutex>

#include "tessera/engine/host_access.h"
#include "tessera/engine/random/random_stream.h"

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

}  // namespace

std::optional<Array> RandomStream::draw_anywhere(Engine& engine, const StreamDraw& draw,
                                                 std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  if (count < worth_a_device || !engine.devices().may_leave_host()) return std::nullopt;
  const std::optional<int> generator = number_of(this->generator());
  if (!generator) return std::nullopt;
  static const ops::Routine& routine = Engine::routine("stream_draw");
  ops::Arguments arguments{*generator, static_cast<int>(draw.method), draw.dtype, draw.is_scaled, draw.first,
                           draw.second};
  for (int64_t extent : shape) arguments.add(extent);
  const bool is_polar = draw.method == StreamDraw::Method::polar;
  // What the numbers depend on, as the routine reads it.
  const auto state_of = [&](library::BitGenerator& bits) {
    std::vector<uint64_t> words = bits.state();
    if (is_polar) words.insert(words.end(), {sampler_.kept.has, std::bit_cast<uint64_t>(sampler_.kept.value)});
    return words;
  };
  for (;;) {
    const std::vector<uint64_t> before = locked(state_of);
    const int64_t words = static_cast<int64_t>(before.size());
    const HostResult state(engine, {&words, 1}, DType::uint64);
    std::ranges::copy(before, reinterpret_cast<uint64_t*>(state.data()));
    Array results[2];
    engine.call(routine, {&state.array(), 1}, arguments, {}, results);
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
