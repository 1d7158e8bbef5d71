#include "tessera/engine/call/forecast_call.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/engine/call/panels.h"
#include "tessera/engine/call/part_totals.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/ops/op.h"

namespace tessera::engine {

using graph::CallOperand;
using routines::Parts;
using tile::Range;

namespace {

int64_t nbytes_of(const View& view) { return view.size() * view.itemsize(); }

class ForecastCall {
 public:
  ForecastCall(ForecastRun& run, graph::Call& call, const ForecastParts& with)
      : run_(run), call_(call), with_(with), panels_(panels_of(call, with.parts)) {
    for (size_t place = 0; place < with.slabs.size(); ++place)
      if (!with.slabs[place].empty()) order_.push_back(place);
    std::ranges::sort(order_, {}, [&](size_t place) { return with.slabs[place].begin; });
  }

  void add() {
    int64_t alone = 0, slabs = 0;
    exchange_totals();
    for (const size_t place : order_) slabs += with_.slabs[place].size();
    for (const size_t place : order_) {
      int64_t touched = 0;
      for (size_t k = 0; k < call_.operands.size(); ++k) touched += bring(k, place);
      if (with_.parts.total_nbytes > 0) run_.compute(static_cast<int>(place), touched);
      if (with_.parts.follows && place != order_[0])
        run_.send(static_cast<int>(*std::prev(std::ranges::find(order_, place))), static_cast<int>(place),
                  nbytes_of(call_.results[0].view) / call_.results[0].view.shape[0]);
      for (const CallOperand& result : call_.results) touched += bytes_at(place, result);
      const double share = static_cast<double>(with_.slabs[place].size()) / static_cast<double>(slabs);
      run_.compute(static_cast<int>(place), touched, with_.operations * share);
    }
    for (const auto& [version, view] : call_.operands) alone += nbytes_of(view);
    for (const CallOperand& result : call_.results) alone += nbytes_of(result.view), settle(result);
    run_.finish(alone, 1, with_.operations);
  }

 private:
  bool meets() const { return with_.parts.is_sum || with_.parts.partials > 0; }

  /// Places make the totals of what they have, and get those of all before.
  void exchange_totals() {
    if (with_.parts.total_nbytes == 0) return;
    for (const auto& hops : PartTotals(with_.parts, with_.slabs, order_).rounds())
      for (const auto& [from, to, bytes] : hops) run_.send(static_cast<int>(from), static_cast<int>(to), bytes.size());
  }

  /// What the place gets of an operand; returns the bytes that it reads.
  int64_t bring(size_t k, size_t place) {
    const CallOperand& operand = call_.operands[k];
    const int axis = with_.parts.axes[k];
    const Range& own = with_.slabs[place];
    if (!panels_.empty() && static_cast<int>(k) == with_.parts.panels.operand) {
      for (const Range& panel : panels_)
        bring(operand, place, operand.view.slice(with_.parts.panels.axis, panel.begin, 1, panel.size()));
      return nbytes_of(operand.view);
    }
    const bool is_whole = axis == Parts::whole;
    return bring(operand, place, is_whole ? operand.view : operand.view.slice(axis, own.begin, 1, own.size()));
  }
  int64_t bring(const CallOperand& operand, size_t place, const View& view) {
    const auto [begin, end] = view.byte_range();
    const std::span<const Tile> tiles = tiles_of(*operand.version);
    if (begin == end || !is_tiled(*operand.version) || tiles[place].valid.contains({begin, end}))
      return nbytes_of(view);
    for (const TilePiece& piece : pieces_of(tiles, {begin, end}))
      if (const auto from = static_cast<size_t>(piece.tile - tiles.data()); from != place)
        run_.send(static_cast<int>(from), static_cast<int>(place), piece.bytes.size());
    return nbytes_of(view);
  }

  /// What the place makes of a result.
  int64_t bytes_at(size_t place, const CallOperand& result) const {
    const int64_t nbytes = nbytes_of(result.view);
    if (meets()) return nbytes;
    const int64_t slabs = with_.slabs[place].size() * with_.parts.made;
    return nbytes == 0 ? 0 : nbytes / result.view.shape[0] * slabs;
  }

  void settle(const CallOperand& result) {
    if (meets()) {
      for (const size_t place : order_)
        if (place != order_[0]) run_.send(static_cast<int>(place), static_cast<int>(order_[0]), nbytes_of(result.view));
      return set_at_one(*result.version, with_.places, order_[0], nullptr);
    }
    TiledMemory tiles;
    for (runtime::Device* place : with_.places) tiles.push_back({.device = place});
    int64_t at = 0;
    for (const size_t place : order_) {
      tiles[place].owned = {at, at + bytes_at(place, result)};
      at = tiles[place].owned.end;
      tiles[place].held = tiles[place].owned;
      tiles[place].valid.add(tiles[place].owned);
    }
    set_tiles(*result.version, std::move(tiles));
    if (result.version->nbytes >= graph::large_bytes)
      graph::note_large(*result.version, result.view.shape, result.view.dtype, with_.site);
  }

  ForecastRun& run_;
  graph::Call& call_;
  const ForecastParts& with_;
  const std::vector<Range> panels_;
  std::vector<size_t> order_{};  // places with slabs, in the slabs' order
};

}  // namespace

bool forecast_call(Forecast& forecast, graph::Call& call, const ForecastParts& with) {
  const std::string name(call.routine->name), what = with.ranks.line_of(with.site) + ": " + name;
  if (!std::ranges::all_of(call.results, [](const CallOperand& result) { return result.version.get() != nullptr; })) {
    forecast.note_unknown_shape(what);
    return false;
  }
  ForecastRun run = forecast.begin(Hash().add(with.site).add(name).value(), what);
  ForecastCall(run, call, with).add();
  return true;
}

}  // namespace tessera::engine
