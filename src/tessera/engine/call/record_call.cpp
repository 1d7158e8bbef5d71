#include <algorithm>
#include <functional>
#include <numeric>
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
/// Calls on fewer elements run at once: recording costs as much.
constexpr int64_t eager_elements = 1024, eager_results = 1 << 16;

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

int64_t element_count(const Dims& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// Whether the host can read the elements at once.
bool is_at_hand(const Array& array) {
  const Version& version = *array.storage->current;
  return version.settled() && version.data;
}

}  // namespace

std::vector<Array> Engine::call(const ops::Routine& routine, std::span<const Array> operands,
                                const ops::Arguments& arguments, const Context& context) {
  const tessera::routines::Entry& entry = tessera::routines::Table::standard().of(routine);
  const Views views(operands);
  const ops::CallView seen{views.get(), arguments};
  const auto count = static_cast<size_t>(entry.count_results ? entry.count_results(seen) : entry.routine.result_count);
  ops::ResultType few[most_results];
  std::vector<ops::ResultType> many(count > most_results ? count : 0);
  const std::span<ops::ResultType> wanted = many.empty() ? std::span(few, count) : std::span(many);
  entry.routine.infer(seen, wanted);
  std::vector<Array> results;
  if (impl_->try_eager_call(entry, operands, arguments, wanted, results)) return results;
  Ref<graph::Call> call(new graph::Call);
  call->routine = &entry.routine;
  call->arguments = arguments;
  std::vector<Array> dense;
  for (const Array& operand : operands) {
    dense.push_back(entry.takes_views ? operand : contiguous(operand));
    call->operands.push_back({nullptr, dense.back().view});
  }
  if (entry.routine.time == ops::CallTime::at_call) return impl_->call_now(*call, dense, wanted.size(), context);
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

Array Engine::call(std::string_view name, std::initializer_list<Array> operands, const ops::Arguments& arguments,
                   const Context& context) {
  return std::move(call(Engine::routine(name), std::span(operands.begin(), operands.size()), arguments, context)[0]);
}

bool Engine::Impl::try_eager_call(const routines::Entry& entry, std::span<const Array> operands,
                                  const ops::Arguments& arguments, std::span<const ops::ResultType> types,
                                  std::vector<Array>& results) {
  int64_t elements = 0;
  for (const Array& operand : operands) {
    elements += operand.size();
    if (elements > eager_elements || !is_at_hand(operand)) return false;
  }
  if (entry.routine.time == ops::CallTime::recorded) {
    for (const ops::ResultType& type : types)
      if (element_count(type.shape) > eager_results) return false;
  }
  std::vector<routines::Elements> inputs, outputs;
  std::vector<std::vector<char>> packed;
  for (const Array& operand : operands) {
    View view = operand.view;
    char* data = operand.storage->current->data + std::exchange(view.offset, 0);
    if (!entry.takes_views && !view.is_c_contiguous()) {
      const View dense = View::contiguous(view.shape, view.dtype);
      packed.emplace_back(static_cast<size_t>(view.size() * view.itemsize()));
      library::copy_view(data, view, packed.back().data(), dense);
      data = packed.back().data(), view = dense;
    }
    inputs.push_back({data, view});
  }
  const auto make = [&](int k, std::span<const int64_t> shape, DType dtype) {
    results[static_cast<size_t>(k)] = self.empty(shape, dtype);
    const Array& made = results[static_cast<size_t>(k)];
    outputs[static_cast<size_t>(k)] = {made.storage->current->data, made.view};
  };
  results.resize(types.size());
  outputs.resize(types.size());
  if (entry.routine.time == ops::CallTime::recorded)
    for (size_t k = 0; k < types.size(); ++k) make(static_cast<int>(k), types[k].shape, types[k].dtype);
  routines::HostCall call{{arguments, inputs, outputs, make},
                          [&](const routines::KernelLaunch& launch, int64_t work) { self.run_on_host(launch, work); }};
  entry.on_host(call);
  return true;
}

std::vector<Array> Engine::Impl::call_now(graph::Call& call, std::span<const Array> operands, size_t result_count,
                                          const Context& context) {
  for (size_t k = 0; k < operands.size(); ++k) {
    call.operands[k].version = finished(*operands[k].storage);
    is_pinned_operand(operands[k]);
  }
  call.results.resize(result_count);
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
    const View view = View::contiguous(type.shape, type.dtype);
    Array result{Ref<Storage>(Storage::make()), view};
    result.storage->current = Ref<Version>(Version::make());
    result.storage->current->nbytes = engine::addressable_bytes(view);
    call->results.push_back({result.storage->current, view});
    results.push_back(std::move(result));
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
