// Long draws of a seeded stream where a device may be used: calls of the routine "stream_draw", placed as all calls.
#include <algorithm>
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
  for (;;) {
    const std::vector<uint64_t> before = locked([&](library::BitGenerator& bits) { return bits.state(); });
    const int64_t words = static_cast<int64_t>(before.size());
    const HostResult state(engine, {&words, 1}, DType::uint64);
    std::ranges::copy(before, reinterpret_cast<uint64_t*>(state.data()));
    Array results[2];
    engine.call(routine, {&state.array(), 1}, arguments, {}, results);
    const auto* after = reinterpret_cast<const uint64_t*>(engine.read(results[1]));
    // Nothing is locked while the draw runs: where another thread drew meanwhile, these numbers are its own.
    const bool is_ours = locked([&](library::BitGenerator& bits) {
      if (bits.state() != before) return false;
      bits.set_state({after, before.size()});
      return true;
    });
    if (is_ours) return results[0];
  }
}

}  // namespace tessera
