// Runs a baseline kernel: rows of the box, strips of a row, the steps of a strip.
#include <algorithm>
#include <cstring>

#include "tessera/base/cpu_level.h"
#include "tessera/lanes/baseline/baseline.h"
#include "tessera/lanes/stream_copy.h"

namespace tessera::lanes {

namespace {

/// The non-temporal copy for this processor.
StreamCopy stream() {
  static const StreamCopy copy = stream_copy(cpu_level());
  return copy;
}

}  // namespace

/// One run over a box; all its memory is on the stack.
class BaselineRun {
 public:
  BaselineRun(const Baseline& kernel, const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end)
      : kernel_(kernel), program_(kernel.program_), arguments_(arguments), begin_(begin), end_(end) {}
  void run();

 private:
  using Call = BaselineProgram::Call;
  using Kind = PlaceForm::Kind;

  void place_accesses();
  void place_fixed();
  bool next_row();
  void run_row();
  void run_strip(int64_t at, int64_t n);
  int64_t rows_a_strip() const;
  void run_rows(int64_t count);
  void place_targets();
  int64_t run_steps(int64_t n);
  void run_call(const Call& call, int64_t n) const;
  void run_exactly(int64_t at, int64_t n, int64_t rows = 1) const;
  int64_t row_lanes() const { return end_[program_.ndim - 1] - begin_[program_.ndim - 1]; }
  int64_t size_of(size_t access) const { return itemsize(program_.buffers[program_.accesses[access].buffer].dtype); }
  void move_results(int64_t n) const;
  bool shares_memory() const;
  bool waits(const BaselineProgram::Result& result) const {
    return result.waits || (shares_ && result.slot != BaselineProgram::no_place);
  }

  const Baseline& kernel_;
  const BaselineProgram& program_;
  const ir::KernelArguments& arguments_;
  const int64_t* begin_;
  const int64_t* end_;
  bool shares_ = false;
  int64_t index_[max_baseline_axes];
  char* rows_[max_places];                          // by access: the address of lane 0's element in this row
  int64_t strides_[max_places][max_baseline_axes];  // by access and axis
  Place places_[max_places];
  alignas(64) char uniforms_[max_uniforms][16];
  alignas(64) char spills_[max_spills * spill_bytes];
  alignas(64) char slots_[slot_budget];
  alignas(gather_alignment) char gathered_[gather_budget + max_places * gather_alignment];
};

void BaselineRun::run() {
  for (int axis = 0; axis < program_.ndim; ++axis) {
    if (begin_[axis] >= end_[axis]) return;
    index_[axis] = begin_[axis];
  }
  shares_ = program_.watches && shares_memory();
  place_accesses();
  place_fixed();
  for (const Call& call : program_.once) run_call(call, 1);
  const int64_t most_rows = rows_a_strip();
  do {
    const int64_t rows = most_rows > 1 ? std::min(most_rows, end_[program_.ndim - 2] - index_[program_.ndim - 2]) : 1;
    rows > 1 ? run_rows(rows) : run_row();
  } while (next_row());
  const bool streams = std::ranges::any_of(program_.results, &BaselineProgram::Result::streams);
  if (streams) fence_streams();
}

bool BaselineRun::shares_memory() const {
  return std::ranges::any_of(
      program_.sharing, [&](auto pair) { return arguments_.buffers[pair.first] == arguments_.buffers[pair.second]; });
}

void BaselineRun::place_accesses() {
  for (size_t a = 0; a < program_.accesses.size(); ++a) {
    const BaselineProgram::Access& access = program_.accesses[a];
    const ir::BufferParam& buffer = program_.buffers[access.buffer];
    std::fill_n(strides_[a], program_.ndim, 0);
    for (size_t k = 0; k < access.axes.size(); ++k) {
      int64_t stride = arguments_.strides[program_.first_stride[access.buffer] + k];
      if (k + 1 == access.axes.size() && buffer.inner == ir::InnerStride::contiguous) stride = itemsize(buffer.dtype);
      if (k + 1 == access.axes.size() && buffer.inner == ir::InnerStride::broadcast) stride = 0;
      strides_[a][access.axes[k]] += stride;
    }
    char* row = arguments_.buffers[access.buffer];
    for (int axis = 0; axis < program_.ndim; ++axis) row += strides_[a][axis] * begin_[axis];
    rows_[a] = row;
    places_[a] = {row, strides_[a][program_.ndim - 1]};
  }
}

void BaselineRun::place_fixed() {
  for (size_t p = program_.accesses.size(); p < program_.places.size(); ++p) {
    const PlaceForm& form = program_.places[p];
    if (form.kind == Kind::slot) places_[p] = {slots_ + form.at * program_.lanes, form.size};
    if (form.kind == Kind::uniform) places_[p] = {uniforms_[form.at], 0};
  }
  for (size_t u = 0; u < program_.uniforms.size(); ++u) std::memcpy(uniforms_[u], program_.uniforms[u].data(), 16);
  for (const auto& [uniform, param] : program_.scalars)
    std::memcpy(uniforms_[uniform], arguments_.scalars + 16 * param, 16);
}

bool BaselineRun::next_row() {
  for (int axis = program_.ndim - 2; axis >= 0; --axis) {
    const bool wraps = ++index_[axis] == end_[axis];
    const int64_t steps = wraps ? begin_[axis] - end_[axis] + 1 : 1;
    if (wraps) index_[axis] = begin_[axis];
    for (size_t a = 0; a < program_.accesses.size(); ++a) rows_[a] += steps * strides_[a][axis];
    if (!wraps) return true;
  }
  return false;
}

void BaselineRun::run_row() {
  const int last = program_.ndim - 1;
  if (!program_.row.empty()) {
    for (size_t a = 0; a < program_.accesses.size(); ++a) places_[a].pointer = rows_[a];
    for (const Call& call : program_.row) run_call(call, 1);
  }
  for (int64_t at = begin_[last]; at < end_[last]; at += program_.lanes)
    run_strip(at, std::min(program_.lanes, end_[last] - at));
}

void BaselineRun::run_strip(int64_t at, int64_t n) {
  const int last = program_.ndim - 1;
  for (size_t a = 0; a < program_.accesses.size(); ++a)
    places_[a] = {rows_[a] + (at - begin_[last]) * strides_[a][last], strides_[a][last]};
  place_targets();
  if (program_.counts_from) std::memcpy(uniforms_[*program_.counts_from], &at, sizeof at);
  const int64_t done = run_steps(n);
  if (done > 0) move_results(done);
  if (done < n) run_exactly(at + done, n - done);
}

void BaselineRun::place_targets() {
  for (size_t p = program_.accesses.size(); p < program_.places.size(); ++p) {
    if (program_.places[p].kind != Kind::target) continue;
    const BaselineProgram::Result& result = program_.results[program_.places[p].at];
    places_[p] = places_[waits(result) ? result.slot : result.access];
  }
}

/// Runs the steps and returns how many of n lanes are done; among the others an event may have happened.
int64_t BaselineRun::run_steps(int64_t n) {
  int64_t done = n;
  for (const BaselineProgram::Step& step : program_.steps) {
    if (step.call.loop) {
      run_call(step.call, n);
    } else {
      done = std::min(done, kernel_.code_.at<LaneFunction>(step.code)(places_, n, uniforms_[0], spills_));
    }
  }
  return done;
}

/// How many rows fit a strip; 1 for rows that are long enough to be strips of their own.
int64_t BaselineRun::rows_a_strip() const {
  constexpr int64_t short_row = 64;
  if (!program_.gathers || row_lanes() >= short_row) return 1;
  int64_t bytes = 0;
  for (size_t a = 0; a < program_.accesses.size(); ++a) bytes += size_of(a);
  return std::min(program_.lanes, gather_budget / bytes) / row_lanes();
}

/// Runs several rows along the last axis but one as one strip: their elements are copied to contiguous memory, and the
/// results are copied back.
void BaselineRun::run_rows(int64_t count) {
  const int last = program_.ndim - 1;
  const int64_t n = row_lanes();
  char* free = gathered_;
  for (size_t a = 0; a < program_.accesses.size(); ++a) {
    const bool lies_together = strides_[a][last] == size_of(a) && strides_[a][last - 1] == n * size_of(a);
    places_[a] = {lies_together ? rows_[a] : free, size_of(a)};
    if (!lies_together) free += (count * n * size_of(a) + gather_alignment - 1) / gather_alignment * gather_alignment;
  }
  const auto move_rows = [&](size_t access, ir::Loop copy, const Place& place, bool back) {
    if (place.pointer == rows_[access]) return;
    for (int64_t row = 0; row < count; ++row) {
      char* const apart = rows_[access] + row * strides_[access][last - 1];
      char* const together = place.pointer + row * n * place.stride;
      char* const pointers[] = {back ? together : apart, back ? apart : together};
      const int64_t strides[] = {back ? place.stride : strides_[access][last],
                                 back ? strides_[access][last] : place.stride};
      copy(pointers, strides, n);
    }
  };
  for (const auto& [access, copy] : program_.loads) move_rows(access, copy, places_[access], false);
  place_targets();
  if (run_steps(count * n) < count * n) {
    run_exactly(begin_[last], n, count);
  } else {
    for (const BaselineProgram::Result& result : program_.results)
      move_rows(result.access, result.copy, places_[waits(result) ? result.slot : result.access], true);
  }
  // The caller advances by one more row.
  index_[last - 1] += count - 1;
  for (size_t a = 0; a < program_.accesses.size(); ++a) rows_[a] += (count - 1) * strides_[a][last - 1];
}

void BaselineRun::run_call(const Call& call, int64_t n) const {
  char* pointers[4];
  int64_t strides[4];
  for (size_t k = 0; k < call.places.size(); ++k) {
    pointers[k] = places_[call.places[k]].pointer;
    strides[k] = places_[call.places[k]].stride;
  }
  call.loop(pointers, strides, n);
}

void BaselineRun::move_results(int64_t n) const {
  for (const BaselineProgram::Result& result : program_.results) {
    if (!waits(result)) continue;
    const Place from = places_[result.slot], to = places_[result.access];
    if (result.streams) {
      stream()(to.pointer, from.pointer, n * from.stride);
    } else {
      char* const pointers[] = {from.pointer, to.pointer};
      const int64_t strides[] = {from.stride, to.stride};
      result.copy(pointers, strides, n);
    }
  }
}

/// Runs lanes in the interpreter, which records the events; the operands are intact.
void BaselineRun::run_exactly(int64_t at, int64_t n, int64_t rows) const {
  int64_t begin[max_baseline_axes], end[max_baseline_axes];
  for (int axis = 0; axis < program_.ndim; ++axis) {
    begin[axis] = index_[axis];
    end[axis] = index_[axis] + 1;
  }
  if (program_.ndim >= 2) end[program_.ndim - 2] += rows - 1;
  begin[program_.ndim - 1] = at;
  end[program_.ndim - 1] = at + n;
  ExactKernel::run(&kernel_.exact_, &arguments_, begin, end);
}

void Baseline::run(const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end) const {
  BaselineRun(*this, arguments, begin, end).run();
}

}  // namespace tessera::lanes
