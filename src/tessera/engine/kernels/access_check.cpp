#include "tessera/engine/kernels/access_check.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/lanes/block_memory.h"

namespace tessera::engine {

using ir::CheckCall;

namespace {

constexpr size_t most_faults = 16;
constexpr int block_bits = 32 - ir::lane_bits;
/// Times are used up after so many: then all marks go.
constexpr uint32_t last_time = 1u << 31;
/// No value that a program is likely to store.
constexpr uint64_t unset_word = 0xD1B54A32D192ED03;

Mutex& shadows_mutex() {
  static Mutex mutex;
  return mutex;
}

std::vector<std::unique_ptr<Shadow>>& free_shadows() {
  static auto& all = *new std::vector<std::unique_ptr<Shadow>>;
  return all;
}

int64_t part_bytes(DType dtype) { return itemsize(dtype) / (is_complex(dtype) ? 2 : 1); }
int shift_of(int64_t bytes) { return std::countr_zero(static_cast<uint64_t>(bytes)); }

/// One load of each word, since two words at once would wait for the stores of both.
uint64_t first_word(const int64_t* operands) {
  return static_cast<uint64_t>(*static_cast<const volatile int64_t*>(operands));
}
uint32_t lane_in(const int64_t* operands) { return static_cast<uint32_t>(first_word(operands)); }
uint32_t site_in(const int64_t* operands) { return static_cast<uint32_t>(first_word(operands) >> ir::site_shift); }

/// Where memory was set to unset words; others may have it by now.
struct UnsetMemory {
  Mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;  // in order, apart from each other
};
UnsetMemory& unset_memory() {
  static auto& all = *new UnsetMemory;
  return all;
}

void note_unset(uintptr_t at, size_t bytes) {
  UnsetMemory& all = unset_memory();
  const std::lock_guard lock(all.mutex);
  std::pair<int64_t, int64_t> range{static_cast<int64_t>(at), static_cast<int64_t>(at + bytes)};
  const auto first = std::ranges::lower_bound(all.ranges, range.first, {}, &std::pair<int64_t, int64_t>::second);
  auto end = first;
  for (; end != all.ranges.end() && end->first <= range.second; ++end) {
    range.first = std::min(range.first, end->first);
    range.second = std::max(range.second, end->second);
  }
  all.ranges.insert(all.ranges.erase(first, end), range);
}

bool may_be_unset(int64_t low, int64_t high) {
  UnsetMemory& all = unset_memory();
  const std::lock_guard lock(all.mutex);
  const auto one = std::ranges::upper_bound(all.ranges, low, {}, &std::pair<int64_t, int64_t>::second);
  return one != all.ranges.end() && one->first < high;
}

/// An exception has ended the launch.
struct Ended {};

/// Memory that arrays share, from address to address.
struct Region {
  int64_t begin = 0, end = 0;
  int64_t cell_bytes = 16;
};

}  // namespace

std::unique_ptr<Shadow> Shadow::take() {
  const std::lock_guard lock(shadows_mutex());
  std::vector<std::unique_ptr<Shadow>>& all = free_shadows();
  if (all.empty()) return std::make_unique<Shadow>();
  std::unique_ptr<Shadow> one = std::move(all.back());
  all.pop_back();
  return one->now < last_time ? std::move(one) : std::make_unique<Shadow>();
}

void Shadow::give_back(std::unique_ptr<Shadow> shadow) {
  const std::lock_guard lock(shadows_mutex());
  free_shadows().push_back(std::move(shadow));
}

AccessCheck::AccessCheck() : shadow_(Shadow::take()) {}
AccessCheck::~AccessCheck() { Shadow::give_back(std::move(shadow_)); }

void AccessCheck::begin(const ir::Kernel& kernel, const LaunchArguments& arguments) {
  kernel_ = &kernel;
  extents_ = arguments.extents;
  const int64_t blocks = extents_[0] * extents_[1] * extents_[2];
  require<ValueError>(blocks < int64_t{1} << block_bits, "checked launch of {}: {} blocks; at most {} are checked",
                      kernel.name, blocks, (int64_t{1} << block_bits) - 1);
  begin_ = ++shadow_->now;
  state_ = {.owner = this};
  has_ended_ = false;
  any_lane_ = {.grid_time = begin_, .block_time = begin_, .warp_time = begin_};
  keeps_blocks_ = ir::waits_for_others(kernel);
  add_regions(kernel, arguments);
  add_arrays(kernel, arguments.shared_bytes);
  has_blocks_ = keeps_blocks_ || ir::meets_in_blocks(kernel) || local_words_ > 0;
  if (has_blocks_) return;
  state_.block_mask = state_.lane_mask = state_.block = 0;
  state_.lanes = &any_lane_;
}

/// Compiled code cannot pass on exceptions: it is left by a jump. It owns nothing but memory of blocks.
void AccessCheck::run(bool is_compiled, const std::function<void()>& body) {
  const int64_t taken = lanes::taken_block_memory();
  std::jmp_buf caller;
  caller_ = is_compiled ? &caller : nullptr;
  try {
    if (setjmp(caller) == 0) body();
  } catch (const Ended&) {
  }
  lanes::give_block_memory(lanes::taken_block_memory() - taken);
}

void AccessCheck::end() {
  has_ended_ = true;
  if (caller_) std::longjmp(*caller_, 1);
  throw Ended{};
}

/// Arrays that lie over each other share cells.
void AccessCheck::add_regions(const ir::Kernel& kernel, const LaunchArguments& arguments) {
  buffers_.resize(kernel.buffers.size());
  std::vector<std::pair<Region, size_t>> regions;
  size_t axis = 0;
  for (size_t k = 0; k < buffers_.size(); ++k) {
    const ir::BufferParam& param = kernel.buffers[k];
    Memory& memory = buffers_[k];
    memory.data = arguments.buffers[k];
    memory.bytes = itemsize(param.dtype);
    memory.is_watched = param.writable;
    const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.data));
    Region region{.begin = address, .end = address + memory.bytes, .cell_bytes = part_bytes(param.dtype)};
    for (int a = 0; a < param.ndim; ++a, ++axis) {
      const int64_t reach = (arguments.dimensions[axis] - 1) * arguments.strides[axis];
      memory.strides.push_back(arguments.strides[axis]);
      region.begin += std::min<int64_t>(reach, 0);
      region.end += std::max<int64_t>(reach, 0);
    }
    memory.low = region.begin;
    memory.high = region.end;
    if (region.end > region.begin) regions.emplace_back(region, k);
  }
  std::ranges::sort(regions, {}, [](const auto& one) { return one.first.begin; });
  size_t cells = 0;
  for (size_t first = 0; first < regions.size();) {
    Region all = regions[first].first;
    size_t last = first;
    bool is_watched = false;
    for (; last < regions.size() && (last == first || regions[last].first.begin < all.end); ++last) {
      all.end = std::max(all.end, regions[last].first.end);
      all.cell_bytes = std::min(all.cell_bytes, regions[last].first.cell_bytes);
      is_watched |= buffers_[regions[last].second].is_watched;
    }
    for (; first < last; ++first) {
      Memory& memory = buffers_[regions[first].second];
      memory.offset = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.data)) - all.begin;
      memory.shift = shift_of(all.cell_bytes);
      memory.cells = memory.bytes >> memory.shift;
      memory.first_cell = cells;
      memory.is_watched = is_watched;
    }
    if (is_watched) cells += static_cast<size_t>((all.end - all.begin) >> shift_of(all.cell_bytes));
  }
  shadow_->cells.reserve(cells);
  tells_ = std::make_unique<bool[]>(buffers_.size());
  for (size_t k = 0; k < buffers_.size(); ++k)
    tells_[k] = buffers_[k].is_watched || may_be_unset(buffers_[k].low, buffers_[k].high);
  state_.tells = tells_.get();
  for_code_.clear();
  for (const Memory& memory : buffers_)
    for_code_.push_back({.cells = reinterpret_cast<ir::CheckCell*>(shadow_->cells.data() + memory.first_cell),
                         .offset = memory.offset,
                         .shift = static_cast<uint32_t>(memory.shift),
                         .has_cells = memory.is_watched && memory.cells == 1,
                         .may_be_unset = may_be_unset(memory.low, memory.high)});
  state_.buffers = for_code_.data();
}

void AccessCheck::add_arrays(const ir::Kernel& kernel, int64_t shared_bytes) {
  int64_t dynamic_cell = 16;
  for (const ir::ArrayDecl& array : kernel.arrays)
    if (array.is_dynamic()) dynamic_cell = std::min(dynamic_cell, part_bytes(array.dtype));
  shared_cells_ = dynamic_cells_ = static_cast<size_t>(shared_bytes >> shift_of(dynamic_cell));
  for (const ir::ArrayDecl& array : kernel.arrays) {
    Memory memory{.bytes = itemsize(array.dtype)};
    const auto size = static_cast<size_t>(array.size);
    if (array.is_dynamic()) {
      memory.cells = memory.bytes >> shift_of(dynamic_cell);
    } else if (array.shared) {
      memory.first_cell = std::exchange(shared_cells_, shared_cells_ + size);
    } else {
      memory.is_local = true;
      memory.first_cell = std::exchange(local_words_, local_words_ + size);
    }
    arrays_.push_back(std::move(memory));
    sizes_.push_back(array.size);
  }
  unset_ = sizes_;
  state_.unset = unset_.data();
}

int64_t AccessCheck::answer(void* self, uint32_t function, const int64_t* operands) {
  auto& check = *static_cast<AccessCheck*>(static_cast<ir::CheckState*>(self)->owner);
  if (ir::check_of(function) == CheckCall::failed) check.end();
  std::unique_lock<Mutex> lock;
  if (check.keeps_blocks_) lock = std::unique_lock(check.mutex_);
  const uint32_t of = function >> ir::check_bits;
  switch (const CheckCall call = ir::check_of(function)) {
    case CheckCall::read_buffer: check.access_buffer<CheckCall::read_buffer>(of, operands); break;
    case CheckCall::reread_buffer: check.access_buffer<CheckCall::reread_buffer>(of, operands); break;
    case CheckCall::write_buffer: check.access_buffer<CheckCall::write_buffer>(of, operands); break;
    case CheckCall::atomic_buffer: check.access_buffer<CheckCall::atomic_buffer>(of, operands); break;
    case CheckCall::read_array: check.access_array<CheckCall::read_array>(of, operands); break;
    case CheckCall::write_array: check.access_array<CheckCall::write_array>(of, operands); break;
    case CheckCall::atomic_array: check.access_array<CheckCall::atomic_array>(of, operands); break;
    case CheckCall::read_settled_array: check.read_settled(of, operands); break;
    default: check.meet(call, lane_in(operands), site_in(operands));
  }
  return 0;
}

template <CheckCall call>
void AccessCheck::access_buffer(uint32_t buffer, const int64_t* operands) {
  constexpr bool is_atomic = call == CheckCall::atomic_buffer || call == CheckCall::reread_buffer;
  constexpr bool writes = call == CheckCall::write_buffer || call == CheckCall::atomic_buffer;
  constexpr bool reads = call != CheckCall::write_buffer, has_value = call == CheckCall::write_buffer;
  const Memory& memory = buffers_[buffer];
  const int64_t* index = operands + 1 + has_value;
  int64_t offset = 0;
  for (size_t k = 0; k < memory.strides.size(); ++k) offset += index[k] * memory.strides[k];
  if (!memory.is_watched && (!reads || !memory.is_unset(offset))) return;
  const uint32_t lane = lane_in(operands), site = site_in(operands);
  Lane& own = has_blocks_ ? block_of(lane).lanes[lane & lane_mask] : any_lane_;
  own.site = site;
  if (is_atomic && !fences_.empty()) acquired_[lane >> ir::lane_bits] = ++shadow_->now;
  const Touch one{.lane = lane,
                  .time = own.warp_time,
                  .site = site,
                  .since = begin_,
                  .horizon = own.grid_time,
                  .writes = writes,
                  .is_atomic = is_atomic,
                  .is_shared = false,
                  .value = has_value ? static_cast<uint64_t>(operands[1]) : 0,
                  .index = index,
                  .axes = memory.strides.size()};
  bool is_written = false;
  if (memory.is_watched) {
    ShadowCell* cell =
        &shadow_->cells[memory.first_cell + static_cast<size_t>((memory.offset + offset) >> memory.shift)];
    is_written = cell->is_written_since(begin_);
    touch<writes, is_atomic>(*cell, one);
    for (int64_t k = 1; k < memory.cells; ++k) touch<writes, is_atomic>(*++cell, one);
  }
  if (reads && !is_written && memory.is_unset(offset)) [[unlikely]]
    add_unwritten(MemoryKind::global, one);
}

template <CheckCall call>
void AccessCheck::access_array(uint32_t array, const int64_t* operands) {
  constexpr bool writes = call != CheckCall::read_array, is_atomic = call == CheckCall::atomic_array;
  constexpr bool reads = call != CheckCall::write_array;
  const Memory& memory = arrays_[array];
  if (memory.is_local) return access_local(writes, array, operands);
  const int64_t* index = operands + 1 + !reads;
  const uint32_t lane = lane_in(operands), site = site_in(operands);
  Block& block = block_of(lane);
  Lane& own = block.lanes[lane & lane_mask];
  own.site = site;
  if (is_atomic && !fences_.empty()) acquired_[lane >> ir::lane_bits] = ++shadow_->now;
  const Touch one{.lane = lane,
                  .time = own.warp_time,
                  .site = site,
                  .since = block.begin,
                  .horizon = own.block_time,
                  .writes = writes,
                  .is_atomic = is_atomic,
                  .is_shared = true,
                  .value = reads ? 0 : static_cast<uint64_t>(operands[1]),
                  .index = index,
                  .axes = 1};
  const size_t first = memory.first_cell + static_cast<size_t>(index[0] * memory.cells);
  ShadowCell* cell = &block.shared[first];
  if (writes && !cell->is_written_since(block.begin)) --unset_[array];
  if (reads && !cell->is_written_since(block.begin)) [[unlikely]]
    add_unwritten(MemoryKind::shared, one);
  touch<writes, is_atomic>(*cell, one);
  for (int64_t k = 1; k < memory.cells; ++k) touch<writes, is_atomic>(*++cell, one);
}

/// No lane writes the element between the barriers around the read.
void AccessCheck::read_settled(uint32_t array, const int64_t* operands) {
  const uint32_t lane = lane_in(operands);
  Block& block = block_of(lane);
  const ShadowCell& cell = block.shared[arrays_[array].first_cell + static_cast<size_t>(operands[1])];
  if (!cell.is_written_since(block.begin)) [[unlikely]]
    add_unwritten(MemoryKind::shared,
                  {.lane = lane, .site = site_in(operands), .is_shared = true, .index = operands + 1, .axes = 1});
}

void AccessCheck::access_local(bool writes, uint32_t array, const int64_t* operands) {
  const int64_t* index = operands + 1 + writes;
  const uint32_t lane = lane_in(operands);
  Block& block = block_of(lane);
  uint32_t& written =
      block.local[(lane & lane_mask) * local_words_ + arrays_[array].first_cell + static_cast<size_t>(index[0])];
  if (writes)
    written = block.begin;
  else if (written != block.begin)
    add_unwritten(MemoryKind::local, {.lane = lane, .site = site_in(operands), .index = index, .axes = 1});
}

/// Compares with the marks of other lanes, and leaves this one's.
template <bool writes, bool is_atomic>
void AccessCheck::touch(ShadowCell& cell, const Touch& one) {
  if (is_atomic && !writes) return;
  const auto may_clash = [&](ShadowMark with) { return with.time() >= one.horizon && with.lane() != one.lane; };
  const bool is_equal = writes && !is_atomic && one.value == cell.value;
  if (may_clash(cell.writer) && !is_equal) [[unlikely]]
    clash(cell.writer, cell.writer_site, true, false, one);
  if (!is_atomic && may_clash(cell.atomic)) [[unlikely]]
    clash(cell.atomic, cell.atomic_site, true, true, one);
  if (writes) {
    if (may_clash(cell.reader)) [[unlikely]]
      clash(cell.reader, cell.reader_site, false, false, one);
    if (may_clash(cell.other_reader)) [[unlikely]]
      clash(cell.other_reader, cell.other_site, false, false, one);
    (is_atomic ? cell.atomic : cell.writer) = ShadowMark::of(one.lane, one.time);
    (is_atomic ? cell.atomic_site : cell.writer_site) = static_cast<uint16_t>(one.site);
    if (!is_atomic) cell.value = one.value;
    return;
  }
  if (cell.reader.lane() != one.lane) {
    cell.other_reader = cell.reader;
    cell.other_site = cell.reader_site;
  }
  cell.reader = ShadowMark::of(one.lane, one.time);
  cell.reader_site = static_cast<uint16_t>(one.site);
}

/// It is a race unless the other lane's access is in order with this one.
void AccessCheck::clash(ShadowMark with, uint16_t site, bool writes, bool is_atomic, const Touch& one) {
  if (with.time() < one.since || is_ordered(with.lane(), with.time(), one.lane)) return;
  add_fault({.kind = FaultKind::race,
             .memory = one.is_shared ? MemoryKind::shared : MemoryKind::global,
             .first = {with.lane(), site, writes, is_atomic},
             .second = {one.lane, one.site, one.writes, one.is_atomic},
             .index = {one.index, one.index + one.axes}});
}

void AccessCheck::add_unwritten(MemoryKind memory, const Touch& one) {
  add_fault({.kind = FaultKind::unwritten,
             .memory = memory,
             .first = {one.lane, one.site, false, one.is_atomic},
             .index = {one.index, one.index + one.axes}});
}

/// Whether what a lane did at that time comes before what the other one does now.
bool AccessCheck::is_ordered(uint32_t lane, uint32_t time, uint32_t later) const {
  constexpr int warp_bits = 5;
  const Lane* own = &any_lane_;
  if (has_blocks_) {
    own = &current_->lanes[later & lane_mask];
  }
  const uint32_t block = lane >> ir::lane_bits;
  if (block != later >> ir::lane_bits) {
    if (time < own->grid_time) return true;
  } else if (time < (lane >> warp_bits == later >> warp_bits ? own->warp_time : own->block_time)) {
    return true;
  }
  if (fences_.empty()) return false;
  const auto fences = fences_.find(block);
  const auto acquired = acquired_.find(later >> ir::lane_bits);
  if (fences == fences_.end() || acquired == acquired_.end()) return false;
  const auto next = std::ranges::lower_bound(fences->second, time);
  return next != fences->second.end() && *next < acquired->second;
}

bool AccessCheck::Memory::is_unset(int64_t offset) const {
  const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data)) + offset;
  const int64_t begin = address & ~int64_t{7};
  if (begin < low || begin + 8 > high) return false;
  uint64_t word = 0;
  std::memcpy(&word, data + (offset - (address - begin)), 8);
  return word == unset_word;
}

void AccessCheck::add_fault(AccessFault fault) {
  if (faults_.size() >= most_faults || !known_.insert({fault.kind, fault.first.site, fault.second.site}).second) return;
  faults_.push_back(std::move(fault));
}

std::span<const AccessFault> AccessCheck::finish() {
  if (has_ended_) return faults_;
  std::vector<uint32_t> numbers;
  for (const auto& [number, block] : blocks_) numbers.push_back(number);
  std::ranges::sort(numbers);
  for (uint32_t number : numbers) finish_block(*blocks_[number]);
  return faults_;
}

void set_unwritten(char* data, size_t bytes) {
  note_unset(reinterpret_cast<uintptr_t>(data), bytes);
  for (size_t at = 0; at < bytes; at += 8) std::memcpy(data + at, &unset_word, std::min<size_t>(8, bytes - at));
}

}  // namespace tessera::engine
