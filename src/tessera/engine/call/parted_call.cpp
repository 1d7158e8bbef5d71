#include "tessera/engine/call/parted_call.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/engine/call/brought_bytes.h"
#include "tessera/engine/call/forecast_call.h"
#include "tessera/engine/call/panels.h"
#include "tessera/engine/call/part_totals.h"
#include "tessera/engine/call/place_calls.h"
#include "tessera/engine/call/slabs.h"
#include "tessera/engine/call/sum_events.h"
#include "tessera/engine/device/ranks/gather_on_ranks.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/calls.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/library/device_library.h"
#include "tessera/ops/op.h"
#include "tessera/profile/account.h"
#include "tessera/routines/parts_kernels.h"
#include "tessera/routines/table.h"

namespace tessera::engine {

using graph::CallOperand;
using routines::Elements;
using routines::Parts;
using tile::Range;

namespace {

/// What one place makes of one result.
struct Made {
  Tile memory{};
  Elements elements{};
};

int64_t nbytes_of(std::span<const CallOperand> operands) {
  int64_t nbytes = 0;
  for (const auto& [version, view] : operands) nbytes += view.size() * view.itemsize();
  return nbytes;
}

int64_t slab_bytes(const View& view) { return view.size() == 0 ? 0 : view.size() / view.shape[0] * view.itemsize(); }

/// The slabs of what is at a place, for one call.
Elements slabs_at(const Elements& all, int axis, const Range& slabs) {
  if (axis == Parts::whole) return all;
  View view = all.view.slice(axis, slabs.begin, 1, slabs.size());
  char* data = all.data + std::exchange(view.offset, 0);
  return {data, std::move(view)};
}

/// A call at each of several places.
class PartedCall {
 public:
  PartedCall(State& state, graph::Call& call, const routines::Entry& entry, Parts parts, std::vector<Range> slabs,
             std::span<runtime::Device* const> places, Ranks* ranks)
      : state_(state),
        call_(call),
        entry_(entry),
        parts_(std::move(parts)),
        slabs_(std::move(slabs)),
        places_(places.begin(), places.end()),
        ranks_(ranks),
        bytes_(places_, ranks, state.devices),
        operands_(slabs_.size()),
        made_(slabs_.size(), std::vector<Made>(parts_.partials > 0 ? parts_.partials : call.results.size())),
        totals_(parts_, slabs_, order_),
        panels_(panels_of(call, parts_)) {
    for (size_t place = 0; place < slabs_.size(); ++place)
      if (!slabs_[place].empty()) order_.push_back(place);
    std::ranges::sort(order_, {}, [&](size_t place) { return slabs_[place].begin; });
    first_ = order_[0];
  }

  bool can_run() const {
    if (parts_.is_sum && all_calls() * nbytes_of(call_.results) > nbytes_of(call_.operands)) return false;
    // A place without slabs does not know the shape of results that depends on elements.
    const bool has_all = std::ranges::none_of(slabs_, &Range::empty);
    if (ranks_ && (parts_.may_fail_apart || (makes_results() && !has_all))) return false;
    if (entry_.routine.time != ops::CallTime::at_call && nbytes_of(call_.results) == 0) return false;
    return std::ranges::all_of(call_.operands,
                               [&](const CallOperand& operand) { return bytes_.can_bring(*operand.version); });
  }

  bool run_on_devices(const CallContext& context) {
    if (!entry_.on_device) return false;
    SmallVector<const View*, 4> seen;
    for (const CallOperand& operand : call_.operands) {
      if (!has_whole_steps(operand.view)) return false;
      seen.push_back(&operand.view);
    }
    if (entry_.suits_device && !entry_.suits_device({seen, call_.arguments})) return false;
    if (!std::ranges::all_of(places_, [](const runtime::Device* device) { return device->is_usable(); })) return false;
    try {
      bring_operands();
      if (parts_.total_nbytes > 0) {
        for (const size_t place : order_) run_part(place, begins, 0);
        totals_.exchange(bytes_);
      }
      each_panel([&] {
        for (const size_t place : order_) pass_last_slab(place), run_part(place, stage(), 0);
      });
      settle(context);
    } catch (const routines::NoDeviceCode&) {
      return false;
    } catch (const library::LibraryMissing&) {
      return false;
    } catch (const OutOfMemory&) {
      return false;
    }
    return true;
  }

  bool run_on_ranks(Recorder& window, const CallContext& context) {
    note(context);
    const auto own = static_cast<size_t>(ranks_->rank());
    try {
      bring_operands();
      if (parts_.total_nbytes > 0 && !slabs_[own].empty()) run_part(own, begins, 0);
      totals_.exchange(bytes_);
      each_panel([&] {
        for (const size_t place : order_) {
          pass_last_slab(place);
          if (place == own) run_part(own, stage(), context.watched_events);
        }
      });
      settle(context);
    } catch (const OutOfMemory& error) {
      ranks_->stop(format("rank {} on {} has no memory for its part of {}: {}", ranks_->rank(),
                          ranks_->host(ranks_->rank()), entry_.routine.name, error.what()));
    }
    if (context.watched_events && entry_.events)
      ranks_->events().add(Watch(events_name(entry_), context.watched_events, context.site), events_, window);
    return true;
  }

 private:
  using enum routines::PartOfCall::Stage;

  /// Null: the host.
  runtime::Device* device_of(size_t place) const { return ranks_ ? ranks_->device() : places_[place]; }
  PlaceCalls calls_at(size_t place) const {
    return {state_, entry_, device_of(place),
            ranks_ ? PlaceCalls::Otherwise::runs_on_copies : PlaceCalls::Otherwise::fails};
  }

  void run_part(size_t place, routines::PartOfCall::Stage stage, uint32_t watched) {
    PlaceCalls calls = calls_at(place);
    begin_stage(place, stage);
    run_at(place, [&](const routines::CallBase& part) {
      calls.run(part);
      if (parts_.counts_slabs) calls.launch(count_from(place), made_[place][0].elements.size());
      events_ |= calls.events(part, watched);
      if (!joins_) return;
      const char* const made = part.result().data;
      const auto join = [&] { calls.launch(joins_->join(made), part.result().size()); };
      if (!calls.is_on_host()) return join();
      events_ |= joins_->events(made, entry_.events ? watched : 0, join);
    });
    calls.flush();
  }

  bool is_here(size_t place) const { return !ranks_ || ranks_->is_mine(static_cast<int>(place)); }
  bool is_part() const { return parts_.total_nbytes > 0 || parts_.partials > 0 || parts_.follows; }
  routines::PartOfCall::Stage stage() const {
    return parts_.follows ? follows : parts_.partials > 0 ? partial : goes_on;
  }
  /// Whether parts make what they return as they need it.
  bool makes_results() const { return entry_.routine.time == ops::CallTime::at_call || parts_.partials > 0; }
  int64_t extent() const { return std::ranges::max(slabs_, {}, &Range::end).end; }
  /// How many calls the place's slabs take.
  int64_t calls_of(size_t place) const {
    const int64_t a_call = parts_.slabs_a_call > 0 ? parts_.slabs_a_call : slabs_[place].size();
    return slabs_[place].empty() ? 0 : (slabs_[place].size() + a_call - 1) / a_call;
  }
  int64_t all_calls() const {
    int64_t calls = 0;
    for (const size_t place : order_) calls += calls_of(place);
    return calls;
  }

  void note(const CallContext& context) {
    Hash numbers = Hash().add(entry_.routine.name);
    for (const int64_t bits : call_.arguments.bits()) numbers.add(static_cast<uint64_t>(bits));
    if (context.form)
      ranks_->note_operation(context.form, numbers.value(), context.site);
    else
      ranks_->note_look(static_cast<int64_t>(numbers.value() >> 1), nbytes_of(call_.operands));
  }

  /// The view's elements, of the operand `k`, at the place.
  static Elements bring(BroughtBytes& bytes, const CallOperand& operand, size_t place, View view) {
    const auto [begin, end] = view.byte_range();
    char* start = begin == end ? nullptr : bytes.at(*operand.version, place, {begin, end});
    if (start) start += view.offset - begin;
    view.offset = 0;
    return {start, std::move(view)};
  }
  bool has_panels(size_t k) const { return !panels_.empty() && static_cast<int>(k) == parts_.panels.operand; }

  /// What the operands' slabs, or all of them, are at each place.
  void bring_operands() {
    for (const size_t place : order_) {
      for (size_t k = 0; k < call_.operands.size(); ++k) {
        const CallOperand& operand = call_.operands[k];
        const Range& own = slabs_[place];
        View view = parts_.axes[k] == Parts::whole ? operand.view
                                                   : operand.view.slice(parts_.axes[k], own.begin, 1, own.size());
        operands_[place].push_back(has_panels(k) ? Elements{} : bring(bytes_, operand, place, std::move(view)));
      }
    }
    bytes_.wait();
    for (size_t k = 0; k < call_.operands.size(); ++k)
      if (parts_.axes[k] != Parts::whole) keep_cut(k);
  }
  /// Calls `run` with each panel at all places, or once.
  template <class Run>
  void each_panel(Run&& run) {
    if (panels_.empty()) return run();
    const auto k = static_cast<size_t>(parts_.panels.operand);
    const CallOperand& operand = call_.operands[k];
    for (const Range& panel : panels_) {
      BroughtBytes bytes(places_, ranks_, state_.devices);  // until what needs them is queued
      for (const size_t place : order_)
        operands_[place][k] =
            bring(bytes, operand, place, operand.view.slice(parts_.panels.axis, panel.begin, 1, panel.size()));
      bytes.wait();
      panel_ = &panel;
      run();
    }
    panel_ = nullptr, joins_.reset();
  }
  /// Makes the call one with the panel; returns what keeps its memory.
  Ref<runtime::Buffer> take_panel(size_t place, std::vector<Elements>& operands, std::vector<Elements>& results) {
    if (!panel_) return {};
    if (const int other = parts_.panels.other; other >= 0) {
      Elements& operand = operands[static_cast<size_t>(other)];
      operand = slabs_at(operand, parts_.panels.axis_of_other, *panel_);
    }
    joins_.emplace(parts_.panels, *panel_, results[0]);
    if (joins_->is_result()) return joins_.reset(), nullptr;
    const View& view = joins_->view();
    const Ref<runtime::Buffer> memory = places_[place]->allocate(static_cast<size_t>(view.size() * view.itemsize()));
    results[0] = {memory->data(), view};
    return memory;
  }
  /// Where slabs are cut at other rows than the operand, they are its cut from now on.
  void keep_cut(size_t k) {
    const auto& [version, view] = call_.operands[k];
    std::vector<Range> bytes(slabs_.size());
    int64_t end = 0;
    for (const size_t place : order_) {
      bytes[place] = bytes_of_slabs(view, parts_.axes[k], slabs_[place]);
      if (bytes[place].begin != end) return;
      end = bytes[place].end;
    }
    if (end == version->nbytes) bytes_.keep_cut(*version, bytes);
  }

  /// Memory of a place for a result, or for its slabs of one, which begin at this byte of it.
  Elements allocate(size_t place, size_t k, const View& view, int64_t first_byte) {
    Made& made = made_[place][k];
    const int64_t nbytes = view.size() * view.itemsize();
    made.memory = allocate_tile(*places_[place], {first_byte, first_byte + nbytes});
    made.elements = {nbytes > 0 ? made.memory.data(first_byte) : nullptr, view};
    return made.elements;
  }

  /// Calls `run` with the operands and results of the place's slabs, for so many of them at a time as the parts say.
  template <class Run>
  void run_at(size_t place, Run&& run) {
    const int64_t count = slabs_[place].size(), a_call = parts_.slabs_a_call > 0 ? parts_.slabs_a_call : count;
    for (size_t k = 0; k < call_.results.size() && !makes_results(); ++k)
      if (!made_[place][k].memory.memory) allocate_result(place, k, (count + a_call - 1) / a_call);
    for (int64_t begin = 0; begin < count; begin += a_call) {
      const Range slabs{begin, std::min(count, begin + a_call)};
      std::vector<Elements> operands, results(made_[place].size());
      for (size_t k = 0; k < call_.operands.size(); ++k)
        operands.push_back(slabs_at(operands_[place][k], parts_.axes[k], slabs));
      for (size_t k = 0; k < results.size() && !makes_results(); ++k)
        results[k] = result_of_call(made_[place][k].elements, slabs, begin / a_call);
      const Ref<runtime::Buffer> of_panel = take_panel(place, operands, results);
      run(routines::CallBase{call_.arguments, operands, results,
                             [&](int k, std::span<const int64_t> shape, DType dtype) {
                               results[static_cast<size_t>(k)] =
                                   allocate(place, static_cast<size_t>(k), View::contiguous(shape, dtype), 0);
                             },
                             is_part() ? &part_ : nullptr});
    }
  }

  void begin_stage(size_t place, routines::PartOfCall::Stage stage) {
    part_ = {
        .stage = stage, .begin = slabs_[place].begin, .extent = extent(), .is_last = slabs_[place].end == extent()};
    part_.totals = parts_.follows ? (before_ ? before_->data() : nullptr) : totals_.at(place, *places_[place]);
    part_.totals_nbytes = parts_.follows ? slab_bytes(call_.results[0].view) : totals_.nbytes();
  }

  /// The place gets the last slab of the results of the place before, which are there.
  void pass_last_slab(size_t place) {
    if (!parts_.follows || place == first_) return;
    const size_t from = *std::prev(std::ranges::find(order_, place));
    const int64_t nbytes = slab_bytes(call_.results[0].view);
    const Elements& made = made_[from][0].elements;
    if (is_here(place)) before_ = places_[place]->allocate(static_cast<size_t>(nbytes));
    bytes_.copy(is_here(from) ? made.data + (slabs_[from].size() - 1) * nbytes : nullptr, from, place,
                is_here(place) ? before_->data() : nullptr, nbytes);
    bytes_.wait();
  }

  routines::KernelLaunch count_from(size_t place) {
    const Elements& indices = made_[place][0].elements;
    return routines::add_to_indices(indices.size(), slabs_[place].begin, indices.data);
  }

  void allocate_result(size_t place, size_t k, int64_t calls) {
    View view = call_.results[k].view;
    if (parts_.is_sum) {
      Dims shape{calls};
      for (const int64_t extent : view.shape) shape.push_back(extent);
      allocate(place, k, View::contiguous(shape, view.dtype), 0);
      return;
    }
    const int64_t slab = slab_bytes(view);
    view.shape[0] = slabs_[place].size() * parts_.made;
    allocate(place, k, view, slabs_[place].begin * parts_.made * slab);
  }
  Elements result_of_call(const Elements& made, const Range& slabs, int64_t call) const {
    if (!parts_.is_sum) return slabs_at(made, 0, {slabs.begin * parts_.made, slabs.end * parts_.made});
    View view = made.view.select(0, call);
    char* data = made.data + std::exchange(view.offset, 0);
    return {data, std::move(view)};
  }

  /// The results' parts become the contents of their versions.
  void settle(const CallContext& context) {
    if (parts_.is_sum) return settle_sum(context.watched_events);
    if (parts_.partials > 0) return settle_joined();
    for (size_t k = 0; k < call_.results.size(); ++k) {
      const std::vector<int64_t> extents = extents_of(k);
      if (makes_results()) make_result(k, extents);
      CallOperand& result = call_.results[k];
      const int64_t slab = slab_bytes(result.view);
      TiledMemory tiles;
      for (runtime::Device* place : places_) tiles.push_back({.device = place});
      int64_t at = 0;
      for (const size_t place : order_) {
        Tile& tile = tiles[place];
        if (extents[place] == 0) continue;
        tile = std::move(made_[place][k].memory);
        tile.device = places_[place];
        tile.owned = {at, at + extents[place] * slab};
        at = tile.owned.end;
        // Where the part begins was not known when it was made.
        if (makes_results()) tile.held = tile.owned;
        tile.valid.add(tile.owned);
      }
      set_tiles(*result.version, std::move(tiles));
      if (result.version->nbytes >= graph::large_bytes)
        graph::note_large(*result.version, result.view.shape, result.view.dtype, context.site);
    }
  }

  int64_t length_of(const View& made) const {
    return parts_.partials > 0 ? made.size() / parts_.planes : made.shape[0];
  }
  int64_t itemsize_of_partial(size_t k) const {
    const size_t here = ranks_ ? static_cast<size_t>(ranks_->rank()) : first_;
    return made_[here][k].elements.view.itemsize();
  }

  /// How many slabs of a result, or numbers in a row of a partial one, each place made.
  std::vector<int64_t> extents_of(size_t k) {
    std::vector<int64_t> extents(slabs_.size());
    for (const size_t place : order_)
      if (!makes_results())
        extents[place] = slabs_[place].size() * parts_.made;
      else if (is_here(place))
        extents[place] = length_of(made_[place][k].elements.view);
    if (!ranks_ || !makes_results()) return extents;
    exchange_numbers(*ranks_, extents);
    return extents;
  }

  /// The view and the version of a result whose shape depends on elements.
  void make_result(size_t k, const std::vector<int64_t>& extents) {
    const size_t here = ranks_ ? static_cast<size_t>(ranks_->rank()) : first_;
    const View& part = made_[here][k].elements.view;
    Dims shape = part.shape;
    shape[0] = std::accumulate(extents.begin(), extents.end(), int64_t{0});
    CallOperand& result = call_.results[k];
    checked_size(shape, itemsize(part.dtype));
    result.view = View::contiguous(shape, part.dtype);
    result.version = Ref<graph::Version>(graph::Version::make());
    result.version->nbytes = result.view.size() * result.view.itemsize();
  }

  /// Brings the sums of all calls to the first place, which adds them up, in their order.
  void settle_sum(uint32_t watched) {
    if (makes_results()) make_longest();
    const View& sum = call_.results[0].view;
    const int64_t all = all_calls(), nbytes = sum.size() * sum.itemsize();
    const bool adds_here = is_here(first_);
    runtime::Device& device = *places_[first_];
    const Ref<runtime::Buffer> stack = adds_here ? device.allocate(static_cast<size_t>(all * nbytes)) : nullptr;
    int64_t before = 0;  // calls
    if (stack && makes_results()) device.stream().fill_zero(stack->data(), static_cast<size_t>(all * nbytes));
    for (const size_t place : order_) {
      Tile& part = made_[place][0].memory;
      part.device = places_[place];
      const int64_t its_nbytes = makes_results() ? lengths_[place] * sum.itemsize() : calls_of(place) * nbytes;
      if (its_nbytes > 0)
        bytes_.bring({&part, {0, its_nbytes}}, place, first_, adds_here ? stack->data() + before * nbytes : nullptr);
      before += calls_of(place);
    }
    bytes_.wait();
    const Ref<runtime::Buffer> whole = adds_here ? device.allocate(static_cast<size_t>(nbytes)) : nullptr;
    if (adds_here) {
      const routines::KernelLaunch launch =
          routines::sum_of_parts(sum.dtype, sum.size(), all, stack->data(), whole->data());
      PlaceCalls calls = calls_at(first_);
      calls.launch(launch, sum.size() * all);
      if (calls.is_on_host() && watched && entry_.events)
        events_ |= watched & events_of_sum(*stack, sum.dtype, all, sum.size());
    }
    set_at_first(0, whole);
  }

  /// The first place has all of the result: null where that is another rank.
  void set_at_first(size_t k, const Ref<runtime::Buffer>& memory) {
    graph::Version& version = *call_.results[k].version;
    if (!ranks_) return set_device_buffer(version, memory);
    set_at_one(version, places_, first_, memory);
  }

  /// The partial results of all parts, one behind the other in each of their rows, at the first place.
  struct Stack {
    Ref<runtime::Buffer> memory;
    Elements elements;
  };
  Stack stack_at_first(size_t k) {
    const std::vector<int64_t> lengths = extents_of(k);
    const DType dtype = made_[first_][k].elements.view.dtype;  // where that is here
    const int64_t item = itemsize_of_partial(k), all = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
    Stack stack;
    if (is_here(first_)) {
      stack.memory = places_[first_]->allocate(static_cast<size_t>(all * parts_.planes * item));
      const int64_t shape[] = {parts_.planes, all};
      stack.elements = {stack.memory->data(), View::contiguous(shape, dtype)};
    }
    int64_t before = 0;
    for (const size_t place : order_) {
      Tile& part = made_[place][k].memory;
      part.device = places_[place];
      const int64_t nbytes = lengths[place] * item;
      for (int64_t plane = 0; plane < parts_.planes; ++plane)
        bytes_.bring({&part, {plane * nbytes, (plane + 1) * nbytes}}, place, first_,
                     stack.memory ? stack.memory->data() + (plane * all + before) * item : nullptr);
      before += lengths[place];
    }
    bytes_.wait();
    return stack;
  }

  /// The first place makes the results of all partial ones.
  void settle_joined() {
    std::vector<Stack> stacks;
    for (int k = 0; k < parts_.partials; ++k) stacks.push_back(stack_at_first(static_cast<size_t>(k)));
    std::vector<Elements> operands, results;
    std::vector<Ref<runtime::Buffer>> memory(call_.results.size());
    if (is_here(first_)) {
      for (const Stack& stack : stacks) operands.push_back(stack.elements);
      for (size_t k = 0; k < memory.size(); ++k) {
        View view = call_.results[k].view;
        view.offset = 0;
        memory[k] = places_[first_]->allocate(static_cast<size_t>(view.size() * view.itemsize()));
        results.push_back({memory[k]->data(), std::move(view)});
      }
      part_ = {.stage = join, .extent = extent()};
      const routines::CallBase base{call_.arguments, operands, results, {}, &part_};
      PlaceCalls calls = calls_at(first_);
      calls.run(base);
      calls.flush();
    }
    for (size_t k = 0; k < memory.size(); ++k) set_at_first(k, memory[k]);
  }

  /// The result of a sum whose parts have lengths of their own.
  void make_longest() {
    lengths_ = extents_of(0);
    make_result(0, {std::ranges::max(lengths_)});
  }

  State& state_;
  graph::Call& call_;
  const routines::Entry& entry_;
  const Parts parts_;
  const std::vector<Range> slabs_;  // by place
  const std::vector<runtime::Device*> places_;
  Ranks* const ranks_;  // null on devices
  BroughtBytes bytes_;
  std::vector<std::vector<Elements>> operands_;  // by place
  std::vector<std::vector<Made>> made_;          // by place, then result
  PartTotals totals_;
  const std::vector<Range> panels_;  // of the operand that has some
  const Range* panel_ = nullptr;     // of these calls
  std::optional<OfPanel> joins_{};   // what the call with it makes, where that is not the result
  Ref<runtime::Buffer> before_{};    // the last slab of the results before, of those that follow from it
  routines::PartOfCall part_{};
  uint32_t events_ = 0;             // of this rank's part
  std::vector<int64_t> lengths_{};  // by place, of results whose shape depends on elements
  std::vector<size_t> order_{};     // places with slabs, in the slabs' order
  size_t first_ = 0;                // of these
};

}  // namespace

bool run_in_parts(State& state, graph::Call& call, Recorder& window, const CallContext& context) {
  const routines::Entry& entry = routines::Table::standard().of(*call.routine);
  if (!entry.in_parts) return false;
  const std::vector<runtime::Device*> places = places_of(call, window);
  if (places.empty()) return false;
  Ranks* const ranks = places[0]->family() == runtime::Family::rank ? Ranks::active() : nullptr;
  Forecast* const forecast = state.over_ranks.forecast();
  if (places[0]->family() == runtime::Family::rank && (!ranks || (forecast && forecast->machine().computes)))
    return false;
  SmallVector<const View*, 4> views;
  for (const CallOperand& operand : call.operands) {
    if (operand.view.size() == 0) return false;
    views.push_back(&operand.view);
  }
  std::optional<Parts> parts = entry.in_parts({views, call.arguments});
  if (!parts) return false;
  std::optional<std::vector<Range>> slabs = slabs_of_places(call, *parts, window);
  if (!slabs) return false;
  PartedCall run(state, call, entry, *parts, *slabs, places, ranks);
  if (!run.can_run()) return false;
  if (forecast && ranks) {
    const double operations = entry.routine.cost({views, call.arguments}).device_operations;
    return forecast_call(*forecast, call, {*parts, *slabs, places, *ranks, context.site, operations});
  }
  return ranks ? run.run_on_ranks(window, context) : run.run_on_devices(context);
}

}  // namespace tessera::engine
