// Arrays that no recorded operation makes: empty ones, copies of outside elements, constants, shared memory.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/record.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/support/common_ops.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/trace.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/layout/axis_order.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

using graph::Storage;
using graph::Version;

Array Recording::empty(std::span<const int64_t> shape, DType dtype, Order order, const View* like) {
  checked_size(shape, itemsize(dtype));
  View view = View::contiguous(shape, dtype, order == Order::f ? Order::f : Order::c);
  if (like && order == Order::k) view = layout_like(view.shape, dtype, *like);
  if (like && order == Order::a && like->is_f_contiguous() && !like->is_c_contiguous()) {
    view = View::contiguous(shape, dtype, Order::f);
  }
  // Larger arrays are allocated on first use, which shows whether host or device needs them; smaller ones may well be
  // used by the host.
  const engine::DeviceSet* devices = state_->windows.own().equals();
  const int64_t nbytes = view.size() * view.itemsize();
  const bool is_over_ranks = state_->goes_over_ranks(view.size());
  const bool may_wait = is_over_ranks || (devices && nbytes < devices->capacity());
  const bool waits = may_wait && nbytes >= plan::PlacementLimits::array_bytes;
  Array array = eager::array_in(std::move(view), waits ? engine::make_unallocated : eager::make_settled);
  // Ranks compare what arrays hold before they are cut, and new memory holds anything.
  if (is_over_ranks && !waits) std::memset(array.storage->current->data, 0, static_cast<size_t>(nbytes));
  state_->placer.enter(*array.storage->current, false, state_->windows.own());
  state_->note_large(array);
  return array;
}

namespace {

/// Elements came from outside.
void trace_entry(const engine::State& state, const Array& array) {
  if (engine::Trace* trace = engine::Trace::active()) [[unlikely]]
    trace->touch(engine::TracedTouch::Kind::made, *array.storage->current, state.site_of({}));
}

}  // namespace

Array Recording::copy_of(const char* data, const View& layout) {
  const profile::InRow row(profile::Row::recording);
  // Smaller arrays may well be used by the host.
  const int64_t nbytes = checked_size(layout.shape, layout.itemsize()) * layout.itemsize();
  // What it is used with first says which of several devices it belongs on.
  runtime::Device* device = state_->windows.own().has_several() ? nullptr : state_->windows.own().target();
  const bool goes_there = device && nbytes >= plan::PlacementLimits::call_bytes && nbytes <= device->capacity();
  try {
    if (Ref<Version> version = goes_there ? engine::make_on_device(data, nbytes, *device)
                                          : state_->placer.enter_on_device(data, nbytes, state_->windows.own())) {
      Array array{Ref<Storage>(Storage::make()), layout};
      array.storage->current = std::move(version);
      state_->note_large(array);
      trace_entry(*state_, array);
      return array;
    }
  } catch (const OutOfMemory&) {
    // The device's memory is in use elsewhere: the array stays on the host.
  }
  Array array = empty(layout.shape, layout.dtype, layout.is_c_contiguous() ? Order::c : Order::f);
  engine::copy_to_host(*array.storage->current);
  char* to = array.storage->current->data;
  auto body = [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, data + begin, static_cast<size_t>(end - begin));
  };
  const auto start = std::chrono::steady_clock::now();
  {
    const profile::InRow copying(profile::Row::running);
    runtime::parallel_for(nbytes, 1 << 20, body);
  }
  if (nbytes >= plan::PlacementLimits::timed_bytes && state_->windows.own().choice) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state_->placer.note_copy(nbytes, seconds);
  }
  trace_entry(*state_, array);
  return array;
}

Array Recording::full(std::span<const int64_t> shape, const Scalar& value, Order order) {
  const int64_t size = checked_size(shape, itemsize(value.dtype));
  if (size * itemsize(value.dtype) <= 1024) {
    Array array = empty(shape, value.dtype, order);
    char* at = array.storage->current->data;
    for (int64_t k = 0; k < size; ++k) std::memcpy(at + k * itemsize(value.dtype), value.bytes, itemsize(value.dtype));
    return array;
  }
  const bool is_over_ranks = state_->goes_over_ranks(size);  // no rank needs memory for all of it
  if (!is_over_ranks && size * itemsize(value.dtype) > runtime::HostPool::instance().limit())
    throw ArrayMemoryError(shape, value.dtype);
  const bool zeros = std::all_of(value.bytes, value.bytes + itemsize(value.dtype), [](auto byte) { return byte == 0; });
  if (zeros && size * itemsize(value.dtype) >= engine::HostLimits::untouched_bytes && !state_->windows.own().target()) {
    const engine::Prospect* choice = state_->windows.own().choice;
    const bool waits = is_over_ranks || (choice && choice->device());
    Array array = eager::array_in(View::contiguous(shape, value.dtype, order == Order::f ? Order::f : Order::c),
                                  waits ? engine::make_unallocated_zeros : eager::make_settled_zeros);
    state_->note_large(array);
    return array;
  }
  const Operand operand(value);
  return engine::record_map(*state_, *engine::CommonOps::get().fill,
                            engine::CommonOps::get().fill_signature(value.dtype), 0, std::span(&operand, 1),
                            View::contiguous(shape, value.dtype, order == Order::f ? Order::f : Order::c), Context{});
}

Array Recording::wrap(void* data, int64_t nbytes, View view, bool writable, std::function<void()> release) {
  Array array;
  array.storage = Ref<Storage>(Storage::make());
  Ref<Version> version(Version::make());
  version->nbytes = nbytes;
  eager::set_buffer(*version, runtime::adopt(data, static_cast<size_t>(nbytes), std::move(release)));
  array.storage->current = std::move(version);
  array.storage->pins = 1;
  array.storage->writable = writable;
  array.view = std::move(view);
  return array;
}

Array Recording::contiguous(const Array& array, std::optional<DType> dtype) {
  const DType wanted = dtype.value_or(array.dtype());
  if (wanted == array.dtype() && array.view.is_c_contiguous()) return array;
  return copy(array, wanted, Order::c);
}

}  // namespace tessera
