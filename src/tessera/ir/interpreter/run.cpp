#include "tessera/ir/interpreter/run.h"

#include <algorithm>
#include <memory>

#include "tessera/base/error.h"

namespace tessera::ir {

namespace {

/// Memory of the running thread, kept between runs so that a run allocates nothing.
struct Arena {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;
  bool busy = false;

  char* reserve(size_t wanted) {
    if (wanted > size) {
      size = std::max(wanted, size_t{1} << 16);
      bytes = std::make_unique_for_overwrite<char[]>(size + 64);
    }
    return bytes.get() + (64 - reinterpret_cast<uintptr_t>(bytes.get()) % 64) % 64;
  }
};
thread_local Arena arena;

// All slots of a frame should stay in the first-level cache.
constexpr int64_t slot_budget = 32768;
constexpr int64_t most_lanes = 1024;

int64_t lanes_for(uint32_t bytes_per_lane) {
  if (bytes_per_lane == 0) return 8192;
  return std::clamp<int64_t>(slot_budget / bytes_per_lane / 64 * 64, 64, most_lanes);
}

size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

Run::Run(const Program::Impl& program, const KernelArguments& arguments, const int64_t* begin, const int64_t* end)
    : program_(program), arguments_(arguments), begin_(begin), end_(end) {}

void Run::run() {
  const int last = program_.ndim - 1;
  for (int axis = 0; axis <= last; ++axis) {
    if (end_[axis] <= begin_[axis]) return;
  }
  const int64_t row = last < 0 ? 1 : end_[last] - begin_[last];
  const size_t frames = program_.frames.size();
  const size_t table = padded(program_.cells.size() * sizeof(Place)) + padded(program_.uniform_count * size_t{16}) +
                       padded(frames * sizeof(int64_t)) + padded(program_.arrays.size() * sizeof(char*));
  size_t total = table + padded(program_.chunk_bytes);
  int64_t capacities[64];
  invariant(frames <= 64, "ir: {} nested reductions", frames);
  for (size_t f = 0; f < frames; ++f) {
    capacities[f] = lanes_for(program_.frames[f].bytes_per_lane);
    if (f == 0)
      capacities[f] = program_.whole_rows ? (row + 63) / 64 * 64 : std::min(capacities[f], (row + 63) / 64 * 64);
    total += static_cast<size_t>(capacities[f]) * program_.frames[f].bytes_per_lane + 64;
  }
  lane_count_ = capacities[0];
  for (const ArrayPlace& a : program_.arrays) {
    total += padded(static_cast<size_t>(a.size) * a.itemsize * static_cast<size_t>(a.shared ? 1 : lane_count_));
  }
  // A kernel may run inside another's host callback; then the thread's memory is taken.
  Arena own;
  Arena& memory = arena.busy ? own : arena;
  char* base = memory.reserve(total);
  memory.busy = true;
  capacity_ = reinterpret_cast<int64_t*>(base + padded(program_.cells.size() * sizeof(Place)) +
                                         padded(program_.uniform_count * size_t{16}));
  std::copy_n(capacities, frames, capacity_);
  place_cells(base);
  aliased_ = program_.may_alias || buffers_alias();
  execute(0, 1, nullptr);
  run_rows();
  memory.busy = false;
}

void Run::place_cells(char* base) {
  cells_ = reinterpret_cast<Place*>(base);
  char* uniforms = base + padded(program_.cells.size() * sizeof(Place));
  char* at = reinterpret_cast<char*>(capacity_) + padded(program_.frames.size() * sizeof(int64_t));
  arrays_ = reinterpret_cast<char**>(at);
  at += padded(program_.arrays.size() * sizeof(char*));
  chunks_ = at;
  at += padded(program_.chunk_bytes);
  char* slots[64];
  for (size_t f = 0; f < program_.frames.size(); ++f) {
    slots[f] = at;
    at += padded(static_cast<size_t>(capacity_[f]) * program_.frames[f].bytes_per_lane);
  }
  for (size_t a = 0; a < program_.arrays.size(); ++a) {
    const ArrayPlace& array = program_.arrays[a];
    arrays_[a] = at;
    at +=
        padded(static_cast<size_t>(array.size) * array.itemsize * static_cast<size_t>(array.shared ? 1 : lane_count_));
  }
  for (size_t c = 0; c < program_.cells.size(); ++c) {
    const Cell& cell = program_.cells[c];
    switch (cell.place) {
      case Cell::Place::constant:
        cells_[c] = {const_cast<char*>(reinterpret_cast<const char*>(program_.constants[cell.at].bytes)), 0};
        break;
      case Cell::Place::scalar: cells_[c] = {const_cast<char*>(arguments_.scalars) + 16 * cell.at, 0}; break;
      case Cell::Place::uniform: cells_[c] = {uniforms + 16 * cell.at, 0}; break;
      case Cell::Place::lanes: cells_[c] = {slots[cell.frame] + cell.at * capacity_[cell.frame], cell.size}; break;
      case Cell::Place::pointer: cells_[c] = {nullptr, cell.size}; break;
    }
  }
}

bool Run::buffers_alias() const {
  const size_t count = program_.buffer_access.size();
  for (size_t w = 0; w < count; ++w) {
    if (!(program_.buffer_access[w] & 2)) continue;
    for (size_t b = 0; b < count; ++b) {
      if (b != w && arguments_.buffers[b] == arguments_.buffers[w]) return true;
    }
    if (program_.buffer_access[w] & 1) return true;
  }
  return false;
}

void Run::run_rows() {
  const int last = program_.ndim - 1;
  if (last < 0) return execute(1, 1, nullptr);
  for (int axis = 0; axis < last; ++axis) uniform_int(program_.index_cells[axis]) = begin_[axis];
  int64_t& lane0 = uniform_int(program_.index_cells[last]);
  const int64_t block = capacity_[0];
  for (;;) {
    for (int64_t at = begin_[last]; at < end_[last]; at += block) {
      lane0 = at;
      execute(1, std::min(block, end_[last] - at), nullptr);
    }
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      int64_t& index = uniform_int(program_.index_cells[axis]);
      if (++index < end_[axis]) break;
      index = begin_[axis];
    }
    if (axis < 0) return;
  }
}

void Run::apply(const Step& step, int64_t n) {
  char* pointers[4];
  int64_t strides[4];
  const CellId* operands = program_.operands.data() + step.first;
  int k = 0;
  for (; k < step.count; ++k) {
    pointers[k] = cells_[operands[k]].pointer;
    strides[k] = cells_[operands[k]].stride;
  }
  pointers[k] = cells_[step.result].pointer;
  strides[k] = cells_[step.result].stride;
  step.loop(pointers, strides, step.scalar ? 1 : n);
}

void Run::execute(uint32_t sequence, int64_t n, Mask mask) {
  for (const Step& step : program_.sequences[sequence]) {
    switch (step.kind) {
      case StepKind::apply: apply(step, n); break;
      case StepKind::iota: {
        const int64_t base = uniform_int(program_.operands[step.first]);
        int64_t* lanes = reinterpret_cast<int64_t*>(cells_[step.result].pointer);
        for (int64_t i = 0; i < n; ++i) lanes[i] = base + step.amount * i;
        break;
      }
      case StepKind::load: load(step, n, mask); break;
      case StepKind::gather: gather(step, n, mask); break;
      case StepKind::store: store(step, n, mask); break;
      case StepKind::scatter: scatter(step, n, mask); break;
      case StepKind::aim_store: aim_store(step); break;
      case StepKind::part: {
        const Place whole = cells_[program_.operands[step.first]];
        cells_[step.result] = {whole.pointer + step.amount, whole.stride};
        break;
      }
      case StepKind::extent: uniform_int(step.result) = arguments_.extents[step.side]; break;
      case StepKind::dimension: uniform_int(step.result) = arguments_.dimensions[step.side]; break;
      case StepKind::atomic: atomic(step, n, mask); break;
      case StepKind::check: check(program_.checks[step.side], n, mask); break;
      case StepKind::if_: branch(step, n, mask); break;
      case StepKind::for_: count_loop(program_.controls[step.side], n, mask); break;
      case StepKind::while_: test_loop(program_.controls[step.side], n, mask); break;
      case StepKind::reduce: reduce(step, n, mask); break;
    }
  }
}

}  // namespace tessera::ir
