#include "tessera/ir/interpreter/run.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "tessera/base/error.h"

namespace tessera::ir {

namespace {

/// Memory of the running thread, kept between runs so that a run does not allocate.
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

size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

Run::Run(const Program::Impl& program, const KernelArguments& arguments, const int64_t* begin, const int64_t* end)
    : program_(program), functions_(program.functions.data()), arguments_(arguments), begin_(begin), end_(end) {}

void Run::run() {
  const int last = program_.ndim - 1;
  for (int axis = 0; axis <= last; ++axis) {
    if (end_[axis] <= begin_[axis]) return;
  }
  const int64_t row = last < 0 ? 1 : end_[last] - begin_[last];
  const int64_t padded_row = (row + 63) / 64 * 64;
  lane_count_ = program_.whole_rows ? padded_row : std::min(program_.frames[0].lanes, padded_row);
  size_t total = program_.layout.slots;
  for (const Frame& frame : program_.frames) {
    const int64_t lanes = &frame == program_.frames.data() ? lane_count_ : frame.lanes;
    total += static_cast<size_t>(lanes) * frame.bytes_per_lane;
  }
  for (const ArrayPlace& a : program_.arrays) {
    total += padded(static_cast<size_t>(a.size) * a.itemsize * static_cast<size_t>(a.shared ? 1 : lane_count_));
  }
  total += padded(static_cast<size_t>(arguments_.shared_bytes));
  // A kernel may run inside a host callback of another kernel, which then occupies the thread's memory.
  Arena own;
  Arena& memory = arena.busy ? own : arena;
  char* base = memory.reserve(total);
  memory.busy = true;
  place_slots(base);
  place_cells(base);
  aliased_ = program_.may_alias || buffers_alias();
  if (!program_.sequences[0].empty()) execute(0, 1, nullptr);
  run_rows();
  memory.busy = false;
}

/// Everything but arrays, with the outermost frame's number of lanes; returns where that ends.
char* Run::place_frames(char* base, int64_t lanes) {
  cells_ = reinterpret_cast<Place*>(base);
  slots_ = reinterpret_cast<FrameSlots*>(base + program_.layout.lanes);
  chunks_ = base + program_.layout.chunks;
  char* at = base + program_.layout.slots;
  for (size_t f = 0; f < program_.frames.size(); ++f) {
    slots_[f] = {at, f == 0 ? lanes : program_.frames[f].lanes};
    at += static_cast<size_t>(slots_[f].lanes) * program_.frames[f].bytes_per_lane;
  }
  return at;
}

void Run::place_slots(char* base) {
  arrays_ = reinterpret_cast<char**>(base + program_.layout.arrays);
  char* at = place_frames(base, lane_count_);
  char* const dynamic = at;
  at += padded(static_cast<size_t>(arguments_.shared_bytes));
  for (size_t a = 0; a < program_.arrays.size(); ++a) {
    const ArrayPlace& array = program_.arrays[a];
    if (array.shared && array.size == 0) {
      arrays_[a] = dynamic;
      continue;
    }
    arrays_[a] = at;
    at +=
        padded(static_cast<size_t>(array.size) * array.itemsize * static_cast<size_t>(array.shared ? 1 : lane_count_));
  }
}

void Run::place_cells(char* base) {
  char* uniforms = base + program_.layout.uniforms;
  Place* place = cells_;
  for (const Cell& cell : program_.cells) {
    switch (cell.place) {
      case Cell::Place::constant:
        *place = {const_cast<char*>(reinterpret_cast<const char*>(program_.constants[cell.at].bytes)), 0};
        break;
      case Cell::Place::scalar: *place = {const_cast<char*>(arguments_.scalars) + 16 * cell.at, 0}; break;
      case Cell::Place::uniform: *place = {uniforms + 16 * cell.at, 0}; break;
      case Cell::Place::lanes: {
        const FrameSlots& frame = slots_[cell.frame];
        *place = {frame.memory + cell.at * frame.lanes, cell.size};
        break;
      }
      case Cell::Place::pointer: *place = {nullptr, cell.size}; break;
    }
    ++place;
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
  const int64_t block = lane_count_;
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
      case StepKind::is_aligned:
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
      case StepKind::ballot: ballot(step, n, mask); break;
      case StepKind::match_byte: match_byte(step, n, mask); break;
      case StepKind::match_any: match_any(step, n, mask); break;
      case StepKind::shuffle: shuffle(step, n, mask); break;
      case StepKind::active_mask: ballot(step, n, mask); break;
      case StepKind::barrier_count: barrier_count(step, n, mask); break;
      case StepKind::call_host: call_host(step, n, mask); break;
      case StepKind::call: call(program_.calls[step.side], n, mask); break;
      case StepKind::fence: std::atomic_thread_fence(std::memory_order_seq_cst); break;
      case StepKind::grid_barrier: arguments_.wait(Wait::for_grid); break;
      case StepKind::pause: arguments_.wait(Wait::for_others); break;
      case StepKind::check: check(program_.checks[step.side], n, mask); break;
      case StepKind::if_: branch(step, n, mask); break;
      case StepKind::for_: count_loop(program_.controls[step.side], n, mask); break;
      case StepKind::while_: test_loop(program_.controls[step.side], n, mask); break;
      case StepKind::reduce: reduce(step, n, mask); break;
    }
  }
}

}  // namespace tessera::ir
