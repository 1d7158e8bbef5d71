#include <algorithm>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/impl.h"
#include "tessera/engine/memory.h"
#include "tessera/library/host/copy.h"
#include "tessera/routines/table.h"

namespace tessera {

using engine::Recorder;
using graph::Storage;
using graph::Version;

namespace {

constexpr size_t most_results = 4;
/// Calls on fewer elements run at once: recording costs as much; or, where no device is considered, releasing the lock.
constexpr int64_t eager_elements = 1024, eager_elements_on_host = 8192;

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

/// Whether the host can read the elements at once.
bool is_at_hand(const Array& array) {
  const Version& version = *array.storage->current;
  return version.settled() && version.data;
}

/// Whether this thread's work runs on the host, without a choice.
bool is_for_host(const Recorder& window) { return !window.target() && (!window.choice || window.choice->is_missing()); }

/// A copy on the host of an array that is at hand.
Array packed(Engine& engine, const Array& array) {
  Array dense = engine.empty(array.shape(), array.dtype());
  library::copy_view(engine.read(array), array.view, engine.write(dense), dense.view);
  return dense;
}

/// Results of an eager call, made one by one.
struct EagerResults {
  Engine& engine;
  std::vector<Array>& arrays;
  routines::Elements elements[most_results];

  void make(int k, std::span<const int64_t> shape, DType dtype) {
    Array& made = arrays[static_cast<size_t>(k)];
    made = engine.empty(shape, dtype);
    elements[k] = {made.storage->current->data, made.view};
  }
};

/// A version that nothing has made yet.
graph::CallOperand unmade(const ops::ResultType& type) {
  const View view = View::contiguous(type.shape, type.dtype);
  graph::CallOperand result{Ref<Version>(Version::make()), view};
  result.version->nbytes = engine::addressable_bytes(view);
  return result;
}

}  // namespace

std::vector<Array> Engine::call(const ops::Routine& routine, std::span<const Array> operands,
                                const ops::Arguments& arguments, const Context& context) {
  const tessera::routines::Entry& entry = tessera::routines::Table::standard().of(routine);
  const Views views(operands);
  ops::ResultType types[most_results];
  const std::span<ops::ResultType> wanted(types, static_cast<size_t>(entry.routine.result_count));
  entry.routine.infer({views.get(), arguments}, wanted);
  std::vector<Array> results;
  if (impl_->try_eager_call(entry, operands, arguments, wanted, results)) return results;
  Ref<graph::Call> call(new graph::Call);
  call->routine = &entry.routine;
  call->arguments = arguments;
  // Where nothing is left to choose and to wait for, recording only costs time.
  const bool is_ready = is_for_host(impl_->recorder()) && std::all_of(operands.begin(), operands.end(), is_at_hand);
  std::vector<Array> dense;
  for (const Array& operand : operands) {
    const bool is_dense = entry.takes_views || operand.view.is_c_contiguous();
    dense.push_back(is_dense ? operand : is_ready ? packed(*this, operand) : contiguous(operand));
    call->operands.push_back({nullptr, dense.back().view});
  }
  if (is_ready || entry.routine.time == ops::CallTime::at_call) return impl_->call_now(*call, dense, wanted, context);
  return impl_->record_call(std::move(call), dense, wanted, context);
}

const ops::Routine& Engine::routine(std::string_view name) {
  return tessera::routines::Table::standard()[name].routine;
}

std::vector<const ops::Routine*> Engine::routines() {
  std::vector<const ops::Routine*> all;
  for (const tessera::routines::Entry& entry : tessera::routines::Table::standard()) all.push_back(&entry.routine);
  return all;
}

Array Engine::call(std::string_view routine, std::initializer_list<Array> operands, const ops::Arguments& arguments,
                   const Context& context) {
  const ops::Routine& known = Engine::routine(routine);
  return std::move(call(known, std::span(operands.begin(), operands.size()), arguments, context)[0]);
}

bool Engine::Impl::try_eager_call(const routines::Entry& entry, std::span<const Array> operands,
                                  const ops::Arguments& arguments, std::span<const ops::ResultType> types,
                                  std::vector<Array>& results) {
  int64_t elements = 0;
  for (const Array& operand : operands) {
    elements += operand.size();
    if (elements > eager_elements_on_host || !is_at_hand(operand)) return false;
  }
  if (elements > eager_elements && !is_for_host(recorder())) return false;
  constexpr size_t few = 4;
  routines::Elements few_inputs[few];
  std::vector<routines::Elements> many_inputs(operands.size() > few ? operands.size() : 0);
  const std::span<routines::Elements> inputs(many_inputs.empty() ? few_inputs : many_inputs.data(), operands.size());
  std::vector<std::vector<char>> packed;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Array& operand = operands[k];
    View view = operand.view;
    char* data = operand.storage->current->data + std::exchange(view.offset, 0);
    if (!entry.takes_views && !view.is_c_contiguous()) {
      const View dense = View::contiguous(view.shape, view.dtype);
      packed.emplace_back(static_cast<size_t>(view.size() * view.itemsize()));
      library::copy_view(data, view, packed.back().data(), dense);
      data = packed.back().data(), view = dense;
    }
    inputs[k] = {data, view};
  }
  results.resize(types.size());
  EagerResults made{self, results, {}};
  if (entry.routine.time == ops::CallTime::recorded)
    for (size_t k = 0; k < types.size(); ++k) made.make(static_cast<int>(k), types[k].shape, types[k].dtype);
  const auto make = [&made](int k, std::span<const int64_t> shape, DType dtype) { made.make(k, shape, dtype); };
  routines::HostCall call{{arguments, inputs, std::span(made.elements, types.size()), make},
                          [&](const routines::KernelLaunch& launch, int64_t work) { self.run_on_host(launch, work); }};
  entry.on_host(call);
  return true;
}

std::vector<Array> Engine::Impl::call_now(graph::Call& call, std::span<const Array> operands,
                                          std::span<const ops::ResultType> types, const Context& context) {
  for (size_t k = 0; k < operands.size(); ++k) {
    call.operands[k].version = finished(*operands[k].storage);
    is_pinned_operand(operands[k]);
  }
  call.results.resize(types.size());
  if (call.routine->time == ops::CallTime::recorded)
    std::transform(types.begin(), types.end(), call.results.begin(), unmade);
  run_call(call, open_recorder(), context.site);
  std::vector<Array> results;
  for (graph::CallOperand& made : call.results) {
    results.push_back({Ref<Storage>(Storage::make()), made.view});
    results.back().storage->current = std::move(made.version);
  }
  return results;
}

std::vector<Array> Engine::Impl::record_call(Ref<graph::Call> call, std::span<const Array> operands,
                                             std::span<const ops::ResultType> types, const Context& context) {
  Recorder& window = open_recorder();
  const auto waits = [&](const Array& operand) { return finish_elsewhere(operand, window); };
  while (std::any_of(operands.begin(), operands.end(), waits)) {
  }
  bool run_now = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    run_now |= is_pinned_operand(operands[k]);
    call->operands[k].version = operands[k].storage->current;
  }
  std::vector<Array> results;
  for (const ops::ResultType& type : types) {
    const graph::CallOperand& result = call->results.emplace_back(unmade(type));
    results.push_back({Ref<Storage>(Storage::make()), result.view});
    results.back().storage->current = result.version;
  }
  graph::Form& draft = window.draft();
  draft.kind = graph::NodeKind::call;
  draft.input_count = draft.result = draft.events = 0;
  draft.op = 0;
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
  node.site = context.site;
  node.out = results[0].storage->current;
  node.call = std::move(call);
  window.commit_call(node);
  after_record(window, run_now);
  return results;
}

}  // namespace tessera
