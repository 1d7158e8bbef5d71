#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tessera/ir/interpreter/run.h"

namespace tessera::ir {

namespace {

constexpr int64_t chunk_length = 8192;

const char* at_lane(const Place& place, int64_t lane) { return place.pointer + lane * place.stride; }

}  // namespace

int64_t Run::number(const IndexRef& index, int64_t lane) const {
  const Place place = cells_[index.cell];
  int64_t value;
  std::memcpy(&value, place.pointer + lane * place.stride, 8);
  return value + index.step * lane;
}

// The distance in bytes between neighbouring lanes in the first access of the region.
int64_t Run::probe(const ReduceInfo& info, int64_t access) const {
  if (access < 0) return 0;
  const Access& a = program_.accesses[access];
  int64_t stride = 0;
  for (uint32_t k = 0; k < a.index_count; ++k) {
    const IndexRef& index = program_.indices[a.first_index + k];
    if (!index.lanes) stride += index.step * index_stride(a, k);
  }
  return std::abs(stride);
}

// Whether to reduce by rows: the order must allow it, and lanes must be closer in memory than the elements of one lane.
bool Run::reduces_by_rows(const ReduceInfo& info, int64_t n, int64_t length) const {
  if (!info.uniform_bounds || info.uniform_result || n == 1) return false;
  const bool by_tree = !info.free_order && info.order != ReduceOrder::sequential;
  if (by_tree) return length < (info.order == ReduceOrder::pairwise ? 8 : 4);
  if (length < 8) return true;
  const int64_t along_rows = probe(info, info.row_probe);
  const int64_t along_lane = probe(info, info.lane_probe);
  return along_rows == along_lane ? n >= length : along_rows < along_lane;
}

void Run::reduce(const Step& step, int64_t n, Mask mask) {
  const ReduceInfo& info = program_.reduces[step.side];
  if (info.uniform_bounds) {
    const int64_t lower = number(info.lower, 0);
    const int64_t upper = number(info.upper, 0);
    if (reduces_by_rows(info, n, upper - lower)) return reduce_rows(info, lower, upper, n, mask);
    const bool one_chunk = upper > lower && upper - lower <= chunk_length;
    if (info.lane_plain && one_chunk && mask == nullptr && n > 1 && !info.uniform_result) {
      return reduce_plain(info, lower, upper - lower, n);
    }
  }
  const Place result = cells_[info.result];
  const int64_t lanes = info.uniform_result ? 1 : n;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (mask == nullptr || info.uniform_result || mask[lane])
      reduce_lane(info, lane, result.pointer + lane * result.stride);
  }
}

void Run::import_lane(const ReduceInfo& info, int64_t lane) {
  for (const Import& import : info.imports) {
    const Place from = cells_[import.from];
    if (import.affine) {
      int64_t base;
      std::memcpy(&base, from.pointer, 8);
      uniform_int(import.to) = base + import.step * lane;
    } else {
      cells_[import.to] = {from.pointer + lane * from.stride, 0};
    }
  }
}

// The address of the elements is affine in the lane, so two lanes determine it for all.
void Run::reduce_plain(const ReduceInfo& info, int64_t lower, int64_t length, int64_t n) {
  const Access& access = program_.accesses[program_.sequences[info.lane_sequence][0].side];
  const int64_t size = program_.cells[info.result].size;
  uniform_int(info.lane_index) = lower;
  import_lane(info, 1);
  const char* second = locate(access).pointer;
  import_lane(info, 0);
  const Spot spot = locate(access);
  const int64_t step = second - spot.pointer;
  const Place result = cells_[info.result];
  const bool sequential = info.order == ReduceOrder::sequential;
  for (int64_t lane = 0; lane < n; ++lane) {
    const char* elements = spot.pointer + lane * step;
    char* out = result.pointer + lane * result.stride;
    if (sequential && info.initial != no_cell) {
      std::memcpy(out, at_lane(cells_[info.initial], lane), static_cast<size_t>(size));
      info.loop(elements, spot.stride, length, out);
    } else if (sequential) {
      std::memcpy(out, elements, static_cast<size_t>(size));
      info.loop(elements + spot.stride, spot.stride, length - 1, out);
    } else {
      info.loop(elements, spot.stride, length, out);
    }
  }
}

void Run::reduce_rows(const ReduceInfo& info, int64_t lower, int64_t upper, int64_t n, Mask mask) {
  const Place result = cells_[info.result];
  const bool has_initial = info.initial != no_cell;
  if (has_initial) {
    const Place from = cells_[info.initial];
    char* pointers[] = {from.pointer, result.pointer};
    const int64_t strides[] = {from.stride, result.stride};
    info.copy(pointers, strides, n);
  } else if (upper <= lower) {
    char* pointers[] = {const_cast<char*>(reinterpret_cast<const char*>(info.start.bytes)), result.pointer};
    const int64_t strides[] = {0, result.stride};
    info.copy(pointers, strides, n);
  }
  for (int64_t r = lower; r < upper; ++r) {
    uniform_int(info.row_index) = r;
    execute(info.row_sequence, n, mask);
    const Place row = cells_[info.row_element];
    if (r == lower && !has_initial) {
      char* pointers[] = {row.pointer, result.pointer};
      const int64_t strides[] = {row.stride, result.stride};
      info.copy(pointers, strides, n);
    } else {
      char* pointers[] = {result.pointer, row.pointer, result.pointer};
      const int64_t strides[] = {result.stride, row.stride, result.stride};
      info.combine(pointers, strides, n);
    }
  }
}

// Evaluates the elements [from, from + n) as lanes of the inner frame and reduces them; `first` initialises the
// accumulator.
void Run::reduce_chunk(const ReduceInfo& info, int64_t from, int64_t n, bool first, char* accumulator) {
  const int64_t size = program_.cells[info.result].size;
  const int64_t block = info.lane_direct ? n : std::min(n, slots_[info.frame].lanes);
  char* chunk = chunks_ + info.chunk_at;
  Place elements{};
  for (int64_t done = 0; done < n; done += block) {
    const int64_t m = std::min(block, n - done);
    uniform_int(info.lane_index) = from + done;
    if (info.lane_aimed) cells_[info.lane_element] = {chunk + done * size, size};
    execute(info.lane_sequence, m, nullptr);
    elements = cells_[info.lane_element];
    if (info.lane_aimed || info.lane_direct || block == n) continue;
    char* pointers[] = {elements.pointer, chunk + done * size};
    const int64_t strides[] = {elements.stride, size};
    info.copy(pointers, strides, m);
  }
  if (block < n || info.lane_aimed) elements = {chunk, size};
  if (info.order == ReduceOrder::sequential && first) {
    std::memcpy(accumulator, elements.pointer, static_cast<size_t>(size));
    elements.pointer += elements.stride;
    --n;
  }
  info.loop(elements.pointer, elements.stride, n, accumulator);
}

void Run::reduce_lane(const ReduceInfo& info, int64_t lane, char* result) {
  const int64_t lower = number(info.lower, lane);
  const int64_t upper = number(info.upper, lane);
  const size_t size = program_.cells[info.result].size;
  const bool has_initial = info.initial != no_cell;
  if (has_initial) std::memcpy(result, at_lane(cells_[info.initial], lane), size);
  if (upper <= lower) {
    if (!has_initial) std::memcpy(result, info.start.bytes, size);
    return;
  }
  import_lane(info, lane);
  const bool outermost = array_lane_ < 0;
  if (outermost) array_lane_ = lane;
  if (info.order == ReduceOrder::sequential) {
    for (int64_t at = lower; at < upper; at += chunk_length) {
      reduce_chunk(info, at, std::min(chunk_length, upper - at), at == lower && !has_initial, result);
    }
  } else {
    // Chunks are joined like carries of a binary counter: after chunk 2k+1, it is joined with its neighbour, and so on
    // up.
    alignas(16) char waiting[64][16];
    int depth = 0;
    uint64_t done = 0;
    const auto join = [&] {
      char* pointers[] = {waiting[depth - 2], waiting[depth - 1], waiting[depth - 2]};
      const int64_t strides[] = {0, 0, 0};
      info.combine(pointers, strides, 1);
      --depth;
    };
    for (int64_t at = lower; at < upper; at += chunk_length) {
      reduce_chunk(info, at, std::min(chunk_length, upper - at), true, waiting[depth++]);
      for (uint64_t count = ++done; count % 2 == 0; count /= 2) join();
    }
    while (depth > 1) join();
    std::memcpy(result, waiting[0], size);
  }
  if (outermost) array_lane_ = -1;
}

}  // namespace tessera::ir
