#include "tessera/engine/call/call_by_rows.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/engine/call/device_launcher.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/placement/device_set.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/calls.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/layout/cut_rows.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/routines/table.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::engine {

using graph::CallOperand;
using tile::Range;

namespace {

/// The bytes from one row to the next.
int64_t row_bytes_of(const View& view) { return view.size() / view.shape[0] * view.itemsize(); }

bool is_by_rows(const graph::Call& call, const routines::Entry& entry) {
  if (!entry.by_rows || call.operands.size() != 1) return false;
  const View& a = call.operands[0].view;
  const View* const operand = &a;
  if (a.ndim() == 0 || a.size() == 0 || !a.is_c_contiguous() || !entry.by_rows({{&operand, 1}, call.arguments}))
    return false;
  return std::ranges::all_of(call.results, [&](const CallOperand& result) {
    return result.view.ndim() > 0 && result.view.shape[0] == a.shape[0] && result.view.is_c_contiguous();
  });
}

/// The rows whose memory each place has; nothing if one of them has parts of rows only.
std::optional<std::vector<Range>> rows_of_places(const CallOperand& operand) {
  const View& view = operand.view;
  const int64_t row = row_bytes_of(view);
  const auto first_from = [&](int64_t byte) {
    const int64_t distance = std::max<int64_t>(0, byte - view.offset);
    return std::min((distance + row - 1) / row, view.shape[0]);
  };
  std::vector<Range> rows;
  for (const Tile& tile : tiles_of(*operand.version)) {
    rows.push_back({first_from(tile.owned.begin), first_from(tile.owned.end)});
    Range& own = rows.back();
    if (tile.owned.empty() || own.empty()) own = {};
    if (!own.empty() && !tile.valid.contains({view.offset + own.begin * row, view.offset + own.end * row})) return {};
  }
  return rows;
}

/// Whether the operand, which is not cut, is to be.
bool is_to_be_cut(const CallOperand& operand, const Recorder& window) {
  if (window.choice || !window.devices || window.devices->is_one() || operand.version->foreign || operand.version->lent)
    return false;
  const DeviceSet& devices = *window.devices;
  const auto places = static_cast<int64_t>(devices.devices().size());
  if (!std::ranges::all_of(devices.devices(), [](const runtime::Device* device) { return device->is_usable(); }))
    return false;
  return operand.version->nbytes > devices.capacity() ||
         (tile_rules().cut == CutRule::always && operand.view.shape[0] >= places);
}

/// Gives each device an even part of the operand's rows, beside the memory that has all of it. Nothing where no memory
/// has, or one of the devices has no room.
std::optional<std::vector<Range>> cut(CallOperand& operand, const DeviceSet& devices) {
  graph::Version& version = *operand.version;
  const auto from = std::ranges::find_if(
      devices.devices(), [&](const runtime::Device* device) { return find_copy(version, *device) != nullptr; });
  const Ref<runtime::Buffer> copy = from == devices.devices().end() ? nullptr : find_copy(version, **from);
  if (!copy && !version.data) return {};
  if (!copy && !version.settled()) runtime::HostStream::instance().wait(version.ticket);
  const auto places = static_cast<int64_t>(devices.devices().size());
  const int64_t rows = operand.view.shape[0], row = row_bytes_of(operand.view);
  // Room that is made for others may drop copies of it.
  const TiledMemory before(tiles_of(version).begin(), tiles_of(version).end());
  const bool is_over_these = std::ranges::equal(before, devices.devices(), {}, &Tile::device);
  std::vector<Range> parts;
  TiledMemory tiles;
  try {
    for (int64_t place = 0; place < places; ++place) {
      runtime::Device& device = *devices.devices()[static_cast<size_t>(place)];
      parts.push_back({first_row(rows, place, places), first_row(rows, place + 1, places)});
      const Range bytes{operand.view.offset + parts.back().begin * row, operand.view.offset + parts.back().end * row};
      Tile part{.device = &device, .held = bytes};
      if (bytes.empty()) {
        tiles.push_back(std::move(part));
        continue;
      }
      if (is_over_these && before[static_cast<size_t>(place)].valid.contains(bytes)) {
        tiles.push_back(before[static_cast<size_t>(place)]);
        continue;
      }
      part.memory = device.allocate(static_cast<size_t>(bytes.size()));
      part.valid.add(bytes);
      if (copy) {
        copy_tile(part.memory->data(), device, copy->data() + bytes.begin, **from, bytes.size());
      } else {
        watch_copy_in(&version, bytes.size(), device);
        device.stream().copy_in(part.memory->data(), version.data + bytes.begin, static_cast<size_t>(bytes.size()));
        profile::add(profile::Counter::copies_to_device);
        profile::add(profile::Counter::bytes_to_device, bytes.size());
      }
      tiles.push_back(std::move(part));
    }
  } catch (const OutOfMemory&) {
    return {};
  }
  keep_tiles(version, std::move(tiles));
  return parts;
}

routines::Elements rows_at(char* start, View view, int64_t count) {
  view.offset = 0, view.shape[0] = count;
  return {start, std::move(view)};
}

/// One call at each of several places.
class CallByRows {
 public:
  CallByRows(State& state, const graph::Node& node, const routines::Entry& entry, std::vector<Range> rows)
      : state_(state),
        node_(node),
        call_(*node.call),
        entry_(entry),
        rows_(std::move(rows)),
        tiles_(tiles_of(*call_.operands[0].version).begin(), tiles_of(*call_.operands[0].version).end()),
        made_(call_.results.size()) {}

  bool run(Recorder& window) { return is_over_ranks() ? run_on_ranks(window) : run_on_devices(window); }

 private:
  bool is_over_ranks() const { return tiles_[0].device->family() == runtime::Family::rank; }

  /// Memory for the results; where `is_here` says no, what another process has.
  template <class IsHere>
  void allocate(IsHere&& is_here) {
    for (size_t k = 0; k < made_.size(); ++k) {
      const int64_t row = row_bytes_of(call_.results[k].view);
      for (size_t place = 0; place < tiles_.size(); ++place) {
        const Range bytes{rows_[place].begin * row, rows_[place].end * row};
        Tile part{.device = tiles_[place].device, .held = bytes, .owned = bytes};
        if (!bytes.empty() && is_here(place)) part.memory = part.device->allocate(static_cast<size_t>(bytes.size()));
        if (!bytes.empty()) part.valid.add(bytes);
        made_[k].push_back(std::move(part));
      }
    }
  }
  /// What the place computes with.
  routines::Elements operand(size_t place) const {
    const View& view = call_.operands[0].view;
    return rows_at(tiles_[place].data(view.offset + rows_[place].begin * row_bytes_of(view)), view,
                   rows_[place].size());
  }
  std::vector<routines::Elements> results(size_t place) const {
    std::vector<routines::Elements> all;
    for (size_t k = 0; k < made_.size(); ++k)
      all.push_back(rows_at(made_[k][place].memory->data(), call_.results[k].view, rows_[place].size()));
    return all;
  }
  void settle() {
    for (size_t k = 0; k < made_.size(); ++k) {
      graph::Version& version = *call_.results[k].version;
      set_tiles(version, std::move(made_[k]));
      if (version.nbytes >= graph::large_bytes)
        graph::note_large(version, call_.results[k].view.shape, call_.results[k].view.dtype, node_.site);
    }
  }

  bool run_on_devices(const Recorder& window) {
    if (!entry_.on_device || window.choice || !window.devices ||
        !std::ranges::equal(window.devices->devices(), tiles_, {}, {}, &Tile::device))
      return false;
    const View* const seen[] = {&call_.operands[0].view};
    if (entry_.suits_device && !entry_.suits_device({seen, call_.arguments})) return false;
    if (!std::ranges::all_of(tiles_, [](const Tile& tile) { return tile.device->is_usable(); })) return false;
    try {
      allocate([](size_t) { return true; });
      for (size_t place = 0; place < tiles_.size(); ++place) {
        if (rows_[place].empty()) continue;
        runtime::Device& device = *tiles_[place].device;
        state_.devices.of(device);  // whoever synchronises waits for its stream
        const routines::Elements from = operand(place);
        std::vector<routines::Elements> to = results(place);
        DeviceLauncher launcher(Devices(state_), device);
        routines::DeviceCall call{{call_.arguments, {&from, 1}, to, {}}, launcher};
        entry_.on_device(call);
        launcher.flush();
      }
    } catch (const routines::NoDeviceCode&) {
      return false;
    } catch (const library::LibraryMissing&) {
      return false;
    } catch (const OutOfMemory&) {
      return false;
    }
    settle();
    return true;
  }

  bool run_on_ranks(Recorder& window) {
    Ranks* ranks = Ranks::active();
    if (!ranks || ranks->is_forecast()) return false;
    Hash numbers;
    numbers.add(entry_.routine.name);
    for (const int64_t bits : call_.arguments.bits()) numbers.add(static_cast<uint64_t>(bits));
    ranks->note_operation(node_.form, numbers.value(), node_.site);
    const auto own = static_cast<size_t>(ranks->rank());
    try {
      allocate([&](size_t place) { return place == own; });
    } catch (const OutOfMemory& error) {
      ranks->stop(format("rank {} on {} has no memory for its part of {}: {}", ranks->rank(),
                         ranks->host(ranks->rank()), entry_.routine.name, error.what()));
    }
    uint32_t events = 0;
    if (!rows_[own].empty()) {
      const routines::Elements from = operand(own);
      std::vector<routines::Elements> to = results(own);
      routines::HostCall call{
          {call_.arguments, {&from, 1}, to, {}},
          [&](const routines::KernelLaunch& launch, int64_t work) { Devices(state_).run_on_host(launch, work); }};
      const profile::InRow row(profile::Row::running);
      entry_.on_host(call);
      if (node_.form->events && entry_.events) events = entry_.events(call, node_.form->events);
    }
    if (node_.form->events && entry_.events)
      ranks->events().add(Watch(events_name(entry_), node_.form->events, node_.site), events, window);
    settle();
    return true;
  }

  State& state_;
  const graph::Node& node_;
  graph::Call& call_;
  const routines::Entry& entry_;
  const std::vector<Range> rows_;  // by place
  const TiledMemory tiles_;        // of the operand
  std::vector<TiledMemory> made_;  // by result
};

}  // namespace

bool run_by_rows(State& state, const graph::Node& node, Recorder& window) {
  const routines::Entry& entry = routines::Table::standard().of(*node.call->routine);
  if (!is_by_rows(*node.call, entry)) return false;
  CallOperand& operand = node.call->operands[0];
  std::optional<std::vector<Range>> rows;
  if (is_tiled(*operand.version))
    rows = rows_of_places(operand);
  else if (is_to_be_cut(operand, window))
    rows = cut(operand, *window.devices);
  return rows && CallByRows(state, node, entry, *std::move(rows)).run(window);
}

}  // namespace tessera::engine
