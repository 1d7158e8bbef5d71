#include "tessera/engine/call/parted_numbers.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/call/place_calls.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/device/tiled/forecast.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/state.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/tile/cut.h"

namespace tessera::engine {

using routines::Elements;
using tile::Range;

namespace {

class PartedNumbers {
 public:
  /// The words are settled on the host.
  PartedNumbers(graph::Call& call, const routines::Entry& entry, std::span<runtime::Device* const> places)
      : call_(call), entry_(entry), places_(places) {
    const graph::CallOperand& words = call.operands[0];
    const auto* first = reinterpret_cast<const uint64_t*>(words.version->data + words.view.offset);
    words_.assign(first, first + words.view.size());
    const graph::CallOperand& numbers = call.results[0];
    const int64_t row = numbers.version->nbytes / numbers.view.shape[0];
    parts_ = tile::cut_evenly(numbers.version->nbytes, row, static_cast<int>(places.size()));
    for (runtime::Device* place : places) tiles_.push_back({.device = place});
  }

  const std::vector<uint64_t>& words() const { return words_; }
  const std::vector<Range>& parts() const { return parts_; }

  /// The words after all numbers; nothing where they depend on the numbers.
  bool find_end() {
    after_ = words_;
    ops::Arguments none = call_.arguments;
    const int64_t count = call_.results[0].view.size();
    return entry_.take_numbers(after_, none, count, count);
  }

  /// Where numbers are made: in the place's memory, or in the host's, from which they are copied there.
  enum class Made : uint8_t { in_place, on_host };

  /// Makes the place's numbers: `run` calls the implementation.
  template <class Run>
  void make(size_t place, Made made, Run&& run) {
    const Range& part = parts_[place];
    if (part.empty()) return;
    tiles_[place] = allocate_tile(*places_[place], part);
    std::vector<uint64_t> words = words_;
    Ref<runtime::Buffer> beside;
    if (made == Made::on_host) beside = runtime::HostPool::instance().allocate(static_cast<size_t>(part.size()));
    char* const numbers = beside ? beside->data() : tiles_[place].data(part.begin);
    make_row(words, part.begin / item(), part.end / item(), numbers, run);
    if (beside) keep(place, part, numbers);
  }

  /// Makes all numbers, some at a time, and keeps the place's: where those depend on the ones before.
  template <class Run>
  void make_in_order(size_t place, Made where, Run&& run) {
    constexpr int64_t at_a_time = int64_t{1} << 20;
    const Range& own = parts_[place];
    const int64_t count = call_.results[0].view.size();
    tiles_[place] = allocate_tile(*places_[place], own);
    const Ref<runtime::Buffer> numbers =
        runtime::HostPool::instance().allocate(static_cast<size_t>(std::min(count, at_a_time) * item()));
    after_ = words_;
    for (int64_t begin = 0; begin < count; begin += at_a_time) {
      const int64_t end = std::min(count, begin + at_a_time);
      const Range made{begin * item(), end * item()}, kept = intersect(own, made);
      const bool is_own = kept == made && where == Made::in_place;
      make_row(after_, 0, end - begin, is_own ? tiles_[place].data(made.begin) : numbers->data(), run);
      if (!is_own) keep(place, kept, numbers->data() + (kept.begin - made.begin));
    }
  }

  /// The parts become the numbers' contents.
  void settle(uint64_t site) {
    graph::CallOperand& numbers = call_.results[0];
    for (size_t place = 0; place < parts_.size(); ++place) {
      tiles_[place].owned = parts_[place];
      tiles_[place].valid.add(parts_[place]);
    }
    set_tiles(*numbers.version, std::move(tiles_));
    if (numbers.version->nbytes >= graph::large_bytes)
      graph::note_large(*numbers.version, numbers.view.shape, numbers.view.dtype, site);
    const auto nbytes = after_.size() * sizeof(uint64_t);
    const Ref<runtime::Buffer> end = runtime::HostPool::instance().allocate(nbytes);
    std::memcpy(end->data(), after_.data(), nbytes);
    eager::set_buffer(*call_.results[1].version, end);
  }

 private:
  int64_t item() const { return call_.results[0].view.itemsize(); }
  void keep(size_t place, const Range& bytes, const char* numbers) {
    if (bytes.empty()) return;
    places_[place]->stream().copy_in(tiles_[place].data(bytes.begin), numbers, static_cast<size_t>(bytes.size()));
  }

  /// Makes numbers [begin, end) of those that follow the words, which become those after them.
  template <class Run>
  void make_row(std::vector<uint64_t>& words, int64_t begin, int64_t end, char* out, Run&& run) {
    ops::Arguments arguments = call_.arguments;
    entry_.take_numbers(words, arguments, begin, end);
    const int64_t shape[] = {end - begin}, size[] = {static_cast<int64_t>(words.size())};
    std::vector<uint64_t> after(words.size());
    const View row = View::contiguous(size, DType::uint64);
    const Elements operand{reinterpret_cast<char*>(words.data()), row};
    Elements results[] = {{out, View::contiguous(shape, call_.results[0].view.dtype)},
                          {reinterpret_cast<char*>(after.data()), row}};
    run(routines::CallBase{arguments, {&operand, 1}, results, {}});
    words = std::move(after);
  }

  graph::Call& call_;
  const routines::Entry& entry_;
  const std::span<runtime::Device* const> places_;
  std::vector<uint64_t> words_, after_{};
  std::vector<Range> parts_{};  // bytes, by place
  TiledMemory tiles_{};
};

bool can_be_parts(State& state, const graph::Call& call, const routines::Entry& entry) {
  if (!entry.take_numbers || call.results[0].view.size() == 0) return false;
  state.executor.settle(*call.operands[0].version);
  return true;
}

/// False where it has no code for them.
bool make_on_device(State& state, PartedNumbers& numbers, const routines::Entry& entry, size_t place,
                    runtime::Device& device) {
  if (!entry.on_device) return false;
  PlaceCalls calls(state, entry, &device, PlaceCalls::Otherwise::fails);
  try {
    numbers.make(place, PartedNumbers::Made::in_place, [&](const routines::CallBase& part) { calls.run(part); });
    calls.flush();
  } catch (const routines::NoDeviceCode&) {
    return false;
  } catch (const library::LibraryMissing&) {
    return false;
  }
  return true;
}

void forecast_numbers(Forecast& forecast, Ranks& ranks, const PartedNumbers& numbers, std::string_view name,
                      uint64_t site) {
  ForecastRun run = forecast.begin(Hash().add(site).add(name).value(), ranks.line_of(site) + ": " + std::string(name));
  int64_t all = 0;
  for (size_t place = 0; place < numbers.parts().size(); ++place) {
    run.compute(static_cast<int>(place), numbers.parts()[place].size());
    all += numbers.parts()[place].size();
  }
  run.finish(all, 1, 0);
}

}  // namespace

bool make_numbers_on_devices(State& state, graph::Call& call, const routines::Entry& entry, const DeviceSet& devices,
                             uint64_t site) {
  const auto& [version, view] = call.results[0];
  const bool is_to_be_cut =
      version->nbytes >= devices.least_cut_bytes() || version->nbytes > devices.capacity() ||
      (tile_rules().cut == CutRule::always && view.size() > static_cast<int64_t>(devices.devices().size()));
  if (devices.is_one() || !is_to_be_cut || !can_be_parts(state, call, entry)) return false;
  if (!std::ranges::all_of(devices.devices(), [](const runtime::Device* one) { return one->is_usable(); }))
    return false;
  PartedNumbers numbers(call, entry, devices.devices());
  if (!numbers.find_end()) return false;
  try {
    for (size_t place = 0; place < devices.devices().size(); ++place)
      if (!make_on_device(state, numbers, entry, place, *devices.devices()[place])) return false;
  } catch (const OutOfMemory&) {
    return false;
  }
  numbers.settle(site);
  return true;
}

bool make_numbers_on_ranks(State& state, graph::Call& call, const routines::Entry& entry, const CallContext& context) {
  Ranks* const ranks = Ranks::active();
  Forecast* const forecast = state.over_ranks.forecast();
  if (!ranks || (forecast && forecast->machine().computes) || !can_be_parts(state, call, entry)) return false;
  PartedNumbers numbers(call, entry, ranks->places());
  const bool jumps = numbers.find_end();
  Hash noted = Hash().add(entry.routine.name);
  for (const int64_t bits : call.arguments.bits()) noted.add(static_cast<uint64_t>(bits));
  for (const uint64_t word : numbers.words()) noted.add(word);
  ranks->note_operation(context.form, noted.value(), context.site);
  if (forecast) {
    forecast_numbers(*forecast, *ranks, numbers, entry.routine.name, context.site);
  } else {
    try {
      const auto own = static_cast<size_t>(ranks->rank());
      if (jumps && ranks->device() && make_on_device(state, numbers, entry, own, *ranks->device())) {
        numbers.settle(context.site);
        return true;
      }
      PlaceCalls calls(state, entry, nullptr, PlaceCalls::Otherwise::fails);
      const auto run = [&](const routines::CallBase& part) { calls.run(part); };
      const auto made = ranks->device() ? PartedNumbers::Made::on_host : PartedNumbers::Made::in_place;
      jumps ? numbers.make(own, made, run) : numbers.make_in_order(own, made, run);
    } catch (const OutOfMemory& error) {
      ranks->stop(format("rank {} on {} has no memory for its part of {}: {}", ranks->rank(),
                         ranks->host(ranks->rank()), entry.routine.name, error.what()));
    }
  }
  numbers.settle(context.site);
  return true;
}

}  // namespace tessera::engine
