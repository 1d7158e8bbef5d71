/// DeviceRows: rows of neighbours in device memory; and the steps that algorithms on them consist of.
#pragma once

#include <bit>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "tessera/routines/calls.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

/// Row v has the arcs offsets[v] to offsets[v + 1] - 1 (int64) with their ends in `targets` (int32).
struct DeviceRows {
  int64_t nodes = 0, arcs = 0;
  const char* offsets = nullptr;
  const char* targets = nullptr;

  DeviceRows(const Elements& from, const Elements& to)
      : nodes(from.size() - 1), arcs(to.size()), offsets(from.data), targets(to.data) {}
};

/// Memory that a step reads, writes, or both.
struct StepBuffer {
  const char* data;
  DType dtype;
  enum Access : uint8_t { read, written, changed } access = read;
};

/// Short names for what most steps have.
namespace steps {
inline constexpr DType whole = DType::int64, real = DType::float64;
inline constexpr StepBuffer::Access written = StepBuffer::written, changed = StepBuffer::changed;
}  // namespace steps

/// What a step's body is built from: its buffers and numbers, in the order in which they were given.
struct StepParts {
  Dense& d;
  ir::Builder& b;
  std::span<const uint32_t> buffers;
  std::span<const ir::Value> numbers;
  ir::Value i;  ///< the number of the element at hand

  ir::Value load(int buffer, ir::Value at) const { return d.load(buffers[static_cast<size_t>(buffer)], at); }
  ir::Value load(int buffer) const { return load(buffer, i); }
  /// The same as int64.
  ir::Value load_word(int buffer, ir::Value at) const { return b.cast(load(buffer, at), DType::int64); }
  void store(int buffer, ir::Value value, ir::Value at) const {
    d.store(buffers[static_cast<size_t>(buffer)], value, at);
  }
  void store(int buffer, ir::Value value) const { store(buffer, value, i); }
  void atomic(ir::AtomicKind kind, int buffer, ir::Value value, ir::Value at) const {
    b.atomic(kind, buffers[static_cast<size_t>(buffer)], value, std::span(&at, 1));
  }
  ir::Value word(int64_t value) const { return b.constant(Scalar::of_int(DType::int64, value)); }
  ir::Value real(double value) const { return b.constant(DType::float64, value); }
  ir::Value number(int k) const { return numbers[static_cast<size_t>(k)]; }
  ir::Value real_number(int k) const { return b.bitcast(number(k), DType::float64); }
};

/// Queues one step over `count` elements, each computed by itself. Steps of one name are the same.
void run_step(Launcher& launcher, std::string_view name, int64_t count, std::initializer_list<StepBuffer> buffers,
              std::initializer_list<int64_t> numbers, void (*body)(const StepParts& parts));

/// A double as a step takes it.
inline int64_t as_number(double value) { return std::bit_cast<int64_t>(value); }

/// Queues the sum of `count` doubles, in the order of networks/ordered_sum.h; the memory that has it.
Ref<runtime::Buffer> sum_all(Launcher& launcher, int64_t count, const char* terms);

/// Waits for one element.
template <class Value>
Value fetch_one(Launcher& launcher, const char* from) {
  Value value;
  launcher.fetch(&value, from, sizeof value);
  return value;
}

}  // namespace tessera::routines
