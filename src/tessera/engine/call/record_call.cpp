#include <algorithm>
#include <forward_list>
#include <functional>
#include <numeric>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/local_array.h"
#include "tessera/base/unlocked.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/engine/call/parted_call.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/reading.h"
#include "tessera/engine/record.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/calls.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/memory.h"
#include "tessera/engine/support/trace.h"
#include "tessera/library/host/copy.h"
#include "tessera/profile/account.h"
#include "tessera/routines/table.h"

namespace tessera {

using engine::Recorder;
using graph::Storage;
using graph::Version;

namespace {

/// Pointers to the operands' views, as descriptors take them.
class Views {
 public:
  explicit Views(std::span<const Array> operands) {
    for (const Array& operand : operands) views_.push_back(&operand.view);
  }
  std::span<const View* const> get() const { return views_; }

 private:
  SmallVector<const View*, 4> views_;
};

/// Whether two arrays may have bytes in common. Memory of other libraries may be the same under several storages.
bool may_share_memory(const Array& a, const Array& b) {
  if (a.storage == b.storage || a.storage->pins == 0 || b.storage->pins == 0) return a.storage == b.storage;
  const Version &x = *a.storage->current, &y = *b.storage->current;
  if (!x.data || !y.data || x.lent || y.lent) return true;
  return x.data < y.data + y.nbytes && y.data < x.data + x.nbytes;
}

/// Whether the routine writes another operand of this one's memory.
bool is_overwritten(const ops::Routine& routine, std::span<const Array> operands, size_t k) {
  return routine.writes_first && k > 0 && may_share_memory(operands[0], operands[k]);
}

/// Whether an implementation gets the operand with the strides that it has.
bool may_be_strided(const routines::Entry& entry, size_t k) {
  return static_cast<int>(k) < entry.takes_views || (k == 0 && entry.routine.writes_first);
}

/// The operands of a call to be recorded: copies of those that do not have the dtype or layout that the routine takes,
/// and of those that it would overwrite.
class Operands {
 public:
  Operands(Recording& recording, const routines::Entry& entry, std::span<const Array> operands,
           const ops::CallView& call) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const Array& operand = operands[k];
      const DType dtype = entry.operand_dtype ? entry.operand_dtype(call, static_cast<int>(k)) : operand.dtype();
      const bool takes_any = may_be_strided(entry, k);
      if (dtype == operand.dtype() && (takes_any || operand.view.is_c_contiguous()) &&
          !is_overwritten(entry.routine, operands, k))
        all_.push_back(&operand);
      else
        all_.push_back(&copies_.emplace_front(recording.copy(operand, dtype, takes_any ? Order::k : Order::c)));
    }
  }
  std::span<const Array* const> get() const { return all_; }

 private:
  SmallVector<const Array*, 4> all_;
  std::forward_list<Array> copies_;
};

int64_t element_count(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// Whether the host can read the elements at once.
bool is_at_hand(const Array& array) {
  const Version& version = *array.storage->current;
  return version.settled() && version.data;
}

/// Results of an eager call, made one by one.
struct EagerResults {
  engine::State& state;
  std::span<Array> arrays;
  LocalArray<routines::Elements, engine::EagerLimits::most_operands> elements{arrays.size()};

  void make(int k, std::span<const int64_t> shape, DType dtype) {
    Array& made = arrays[static_cast<size_t>(k)];
    // Small results are not worth the question where later work may run.
    if (element_count(shape) <= engine::EagerLimits::call_elements)
      made = eager::make_array(View::contiguous(shape, dtype));
    else
      made = Recording(state).empty(shape, dtype);
    char* data = eager::writable(made);
    elements[static_cast<size_t>(k)] = {data ? data : Reading(state).write(made), made.view};
  }
};

/// Whether this thread's work runs on the host, without a choice.
bool is_for_host(const Recorder& window) { return !window.target() && !window.may_choose(); }

/// Whether a call on operands in host memory runs there, whatever device this thread's work may use.
bool stays_on_host(const routines::Entry& entry, const Recorder& window, const ops::CallView& call) {
  if (is_for_host(window)) return true;
  int64_t nbytes = 0;
  for (const View* operand : call.operands) nbytes += operand->size() * operand->itemsize();
  return window.target() ? nbytes < plan::PlacementLimits::call_bytes
                         : engine::is_small_call(nbytes, entry.routine.cost(call));
}

/// The floating-point events to report for a call in this context.
uint32_t watched_events(const routines::Entry& entry, const Context& context) {
  return entry.events ? engine::wanted_events(context.errors) : 0;
}
uint32_t watched_events(const ops::Routine& routine, const Context& context) {
  return watched_events(routines::Table::standard().of(routine), context);
}

/// Whether the result is a single number, which NumPy's callers read at once.
bool is_number(std::span<const ops::ResultType> types) { return types.size() == 1 && types[0].shape.empty(); }

/// A version that nothing has made yet.
graph::CallOperand unmade(const ops::ResultType& type) {
  checked_size(type.shape, itemsize(type.dtype));
  const View view = View::contiguous(type.shape, type.dtype);
  graph::CallOperand result{Ref<Version>(Version::make()), view};
  result.version->nbytes = engine::addressable_bytes(view);
  return result;
}

/// A call without operands is as large as its results.
bool are_few_results(std::span<const ops::ResultType> types, bool are_all) {
  const int64_t most = are_all ? engine::EagerLimits::call_elements : engine::EagerLimits::result_elements;
  return std::ranges::all_of(types, [&](const ops::ResultType& type) { return element_count(type.shape) <= most; });
}

/// Runs a call on small settled host arrays at once; false, with nothing done, for others.
bool try_eager_call(engine::State& state, const routines::Entry& entry, std::span<const Array> operands,
                    const ops::Arguments& arguments, const Context& context, std::span<const ops::ResultType> types,
                    std::span<Array> results) {
  int64_t elements = 0;
  for (const Array& operand : operands) {
    elements += operand.size();
    if (!is_at_hand(operand)) return false;
  }
  const bool any_size = entry.routine.time == ops::CallTime::when_settled && !engine::Trace::active();
  if (elements > engine::EagerLimits::call_elements &&
      !(any_size && stays_on_host(entry, state.windows.own(), {Views(operands).get(), arguments})))
    return false;
  const bool at_call = entry.routine.time == ops::CallTime::at_call;
  if (at_call && engine::is_long_call(entry.routine, {Views(operands).get(), arguments})) return false;
  if (!at_call && !any_size && !are_few_results(types, operands.empty() || entry.words_on_host)) return false;
  if (operands.size() > engine::EagerLimits::most_operands || types.size() > engine::EagerLimits::most_operands)
    return false;
  if (entry.routine.writes_first && !eager::writable(operands[0])) return false;
  LocalArray<routines::Elements, engine::EagerLimits::most_operands> inputs(operands.size());
  std::vector<std::vector<char>> packed;
  for (size_t k = 0; k < operands.size(); ++k) {
    View view = operands[k].view;
    char* data = operands[k].storage->current->data + std::exchange(view.offset, 0);
    // Routines that make their results read twice what other code may change meanwhile.
    const bool may_change = at_call && operands[k].storage->pins > 0;
    if (is_overwritten(entry.routine, operands, k) ||
        (!may_be_strided(entry, k) && (may_change || !view.is_c_contiguous()))) {
      const View dense = View::contiguous(view.shape, view.dtype);
      packed.emplace_back(static_cast<size_t>(view.size() * view.itemsize()));
      library::copy_view(data, view, packed.back().data(), dense);
      data = packed.back().data(), view = dense;
    }
    inputs[k] = {data, std::move(view)};
  }
  EagerResults made{state, results};
  if (!at_call)
    for (size_t k = 0; k < types.size(); ++k) made.make(static_cast<int>(k), types[k].shape, types[k].dtype);
  const bool unlocks = any_size && elements >= engine::HostLimits::routine_work_for_unlock;
  // Other threads may replace what the operands hold.
  LocalArray<Ref<Version>, engine::EagerLimits::most_operands> held(unlocks ? operands.size() : 0);
  for (size_t k = 0; unlocks && k < operands.size(); ++k) held[k] = operands[k].storage->current;
  Unlocked unlocked(state.hooks, unlocks);
  // Captures of two pointers need no memory.
  routines::HostCall call{{arguments, inputs.span(), made.elements.span(),
                           [&made](int k, std::span<const int64_t> shape, DType dtype) { made.make(k, shape, dtype); }},
                          [&state, &unlocked](const routines::KernelLaunch& launch, int64_t work) {
                            unlocked.locked([&] { Devices(state).run_on_host(launch, work); });
                          }};
  entry.on_host(call);
  if (const uint32_t watched = watched_events(entry, context)) {
    if (const uint32_t events = entry.events(call, watched))
      unlocked.locked(
          [&] { state.windows.own().reports.push_back({engine::events_name(entry), events, context.site}); });
  }
  if (at_call)
    for (size_t k = 0; k < types.size(); ++k) results[k].view = std::move(made.elements[k].view);
  return true;
}

/// Runs a call that is not recorded.
void call_now(engine::State& state, graph::Call& call, std::span<const Array* const> operands, std::span<Array> results,
              const Context& context) {
  for (const Array* operand : operands) {
    call.operands.push_back({state.executor.finished(*operand->storage), operand->view});
    engine::is_pinned_operand(*operand);
  }
  call.results.resize(results.size());
  state.executor.run_call(call, state.windows.open_own(), {context.site, watched_events(*call.routine, context)},
                          call.routine->writes_first ? operands[0] : nullptr);
  for (size_t k = 0; k < results.size(); ++k) {
    results[k] = {Ref<Storage>(Storage::make()), call.results[k].view};
    results[k].storage->current = std::move(call.results[k].version);
  }
}

void record_call(engine::State& state, const Ref<graph::Call>& call, std::span<const Array* const> operands,
                 std::span<const ops::ResultType> types, std::span<Array> results, const Context& context) {
  const bool makes_numbers = routines::Table::standard().of(*call->routine).take_numbers != nullptr;
  const bool is_cut = state.windows.over_ranks() &&
                      (std::ranges::any_of(operands, [&](const Array* one) { return state.is_over_ranks(*one); }) ||
                       (makes_numbers && state.is_cut_over_ranks(element_count(types[0].shape))));
  Recorder& window = state.open_window_of_ranks(is_cut);
  const auto waits = [&](const Array* operand) { return state.finish_elsewhere(*operand, window); };
  while (std::any_of(operands.begin(), operands.end(), waits)) {
  }
  bool run_now = false;
  for (const Array* operand : operands) {
    run_now |= engine::is_pinned_operand(*operand);
    call->operands.push_back({operand->storage->current, operand->view});
  }
  for (size_t k = 0; k < types.size(); ++k) {
    const graph::CallOperand& result = call->results.emplace_back(unmade(types[k]));
    results[k] = {Ref<Storage>(Storage::make()), result.view};
    results[k].storage->current = result.version;
  }
  graph::Form& draft = window.draft();
  draft.kind = graph::NodeKind::call;
  draft.input_count = draft.result = 0;
  draft.events = static_cast<uint8_t>(watched_events(*call->routine, context));
  draft.op = nullptr;
  draft.owner = nullptr;
  draft.pinned = draft.natural = false;
  draft.reduce = {};
  draft.axes = 0;
  draft.signature = nullptr;
  draft.call = call->hash();
  draft.dtype = types[0].dtype;
  draft.shape = types[0].shape;
  draft.strides = results[0].view.strides;
  draft.nbytes = results[0].storage->current->nbytes;
  graph::Node& node = window.next(draft.set_hash());
  node.site = state.site_of(context);
  node.offset = 0;
  node.out = results[0].storage->current;
  node.call = call;
  window.commit_call(node);
  state.after_record(window, run_now);
}

}  // namespace

void Recording::call(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
                     const Context& context, std::span<Array> results) {
  const profile::InRow row(profile::Row::recording);
  const tessera::routines::Entry& entry = tessera::routines::Table::standard().of(routine);
  const Views views(operands);
  const bool are_few = results.size() <= engine::EagerLimits::most_operands;
  LocalArray<ops::ResultType, engine::EagerLimits::most_operands> few(are_few ? results.size() : 0);
  std::vector<ops::ResultType> many(are_few ? 0 : results.size());
  const std::span<ops::ResultType> wanted = are_few ? few.span() : std::span(many);
  routine.infer({views.get(), arguments}, wanted);
  if (try_eager_call(*state_, entry, operands, arguments, context, wanted, results)) return;
  const Ref<graph::Call> call(graph::Call::make());
  call->routine = &routine;
  call->arguments = arguments;
  const Operands dense(*this, entry, operands, {views.get(), arguments});
  if (routine.time == ops::CallTime::at_call) return call_now(*state_, *call, dense.get(), results, context);
  const auto runs_now = [&] {
    return routine.time == ops::CallTime::when_settled ||
           (is_number(wanted) && stays_on_host(entry, state_->windows.own(), {views.get(), arguments}));
  };
  if (std::all_of(operands.begin(), operands.end(), is_at_hand) && runs_now()) {
    for (const ops::ResultType& type : wanted) call->results.push_back(unmade(type));
    return call_now(*state_, *call, dense.get(), results, context);
  }
  record_call(*state_, call, dense.get(), wanted, results, context);
}

Array Recording::call_for_one(const ops::Routine& routine, std::span<const Array> operands,
                              const ops::Arguments& arguments, const Context& context) {
  invariant(routine.result_count == 1, "{} has {} results", routine.name, routine.result_count);
  Array result;
  call(routine, operands, arguments, context, std::span(&result, 1));
  return result;
}

std::vector<Array> Recording::call(const ops::Routine& routine, std::span<const Array> operands,
                                   const ops::Arguments& arguments, const Context& context) {
  int count = routine.result_count;
  if (const auto count_results = tessera::routines::Table::standard().of(routine).count_results)
    count = count_results({Views(operands).get(), arguments});
  std::vector<Array> results(static_cast<size_t>(count));
  call(routine, operands, arguments, context, results);
  return results;
}

const ops::Routine& Recording::routine(std::string_view name) {
  return tessera::routines::Table::standard()[name].routine;
}

std::vector<const ops::Routine*> Recording::routines() {
  std::vector<const ops::Routine*> all;
  for (const tessera::routines::Entry& entry : tessera::routines::Table::standard()) all.push_back(&entry.routine);
  return all;
}

Array Recording::call(std::string_view name, std::initializer_list<Array> operands, const ops::Arguments& arguments,
                      const Context& context) {
  return call_for_one(Recording::routine(name), operands, arguments, context);
}

}  // namespace tessera
