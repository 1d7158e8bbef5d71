// The blocks of a checked launch, and the barriers and fences of their lanes.
#include <algorithm>

#include "tessera/engine/kernels/access_check.h"

namespace tessera::engine {

using ir::CheckCall;

AccessCheck::Block& AccessCheck::enter_block(uint32_t number) {
  std::unique_ptr<Block>& block = blocks_[keeps_blocks_ ? number : 0];
  const bool is_new = !block;
  if (is_new) block = std::make_unique<Block>();
  if (!is_new && block->number != number) finish_block(*block);
  current_ = block.get();
  if (is_new || block->number != number) {
    constexpr size_t warp = 32;
    const auto threads = static_cast<size_t>(extents_[3] * extents_[4] * extents_[5]);
    block->number = number;
    block->begin = ++shadow_->now;
    block->lanes.assign(threads, {.grid_time = begin_, .block_time = block->begin, .warp_time = block->begin});
    block->arrivals.clear();
    block->of_warps.assign((threads + warp - 1) / warp, {});
    block->shared.reserve(shared_cells_);
    block->local.resize(threads * local_words_);
    unset_ = sizes_;
  }
  show_block();
  return *current_;
}

/// For compiled code. Blocks that wait for each other change places too often, and threads share what they do.
void AccessCheck::show_block() {
  if (keeps_blocks_) return;
  state_.block = current_->number;
  state_.begin = current_->begin;
  state_.lanes = current_->lanes.data();
  state_.cells = reinterpret_cast<ir::CheckCell*>(current_->shared.data() + dynamic_cells_);
  state_.arrivals = current_->arrivals.data();
  state_.arrival_count = current_->arrivals.size();
}

void AccessCheck::meet(CheckCall call, uint32_t lane, uint32_t site) {
  switch (call) {
    case CheckCall::barrier: return meet_block(lane, site);
    case CheckCall::block_barrier: return meet_as_block(lane, site);
    case CheckCall::grid_barrier: return meet_grid(lane, site);
    case CheckCall::warp_barrier: return meet_warp(lane, site);
    case CheckCall::fence: return fences_[lane >> ir::lane_bits].push_back(++shadow_->now);
    case CheckCall::returned:
      if (has_blocks_) block_of(lane).lanes[lane & lane_mask].has_returned = true;
      return;
    default: return;
  }
}

void AccessCheck::meet_block(uint32_t lane, uint32_t site) {
  Block& block = block_of(lane);
  Lane& own = block.lanes[lane & lane_mask];
  own.site = site;
  if (own.barriers == block.arrivals.size()) block.arrivals.push_back({site, lane, ++shadow_->now});
  const Arrival& arrival = block.arrivals[own.barriers++];
  if (arrival.site != site)
    add_fault({.kind = FaultKind::barriers_differ, .first = {arrival.lane, arrival.site}, .second = {lane, site}});
  own.block_time = own.warp_time = arrival.time;
  show_block();
}

/// All lanes, of which none has returned.
void AccessCheck::meet_as_block(uint32_t first, uint32_t site) {
  Block& block = block_of(first);
  const auto count = static_cast<uint32_t>(block.arrivals.size());
  const auto is_level = [&](const Lane& lane) { return lane.barriers == count; };
  if (!std::ranges::all_of(block.lanes, is_level)) {
    for (uint32_t k = 0; k < block.lanes.size(); ++k) meet_block(first | k, site);
    return;
  }
  block.arrivals.push_back({site, first, ++shadow_->now});
  const uint32_t time = shadow_->now;
  for (Lane& lane : block.lanes) {
    lane.barriers = count + 1;
    lane.block_time = lane.warp_time = time;
    lane.site = site;
  }
  show_block();
}

void AccessCheck::meet_grid(uint32_t lane, uint32_t site) {
  Lane& own = block_of(lane).lanes[lane & lane_mask];
  own.site = site;
  if (own.grid_barriers == grid_arrivals_.size()) grid_arrivals_.push_back({site, lane, ++shadow_->now});
  const Arrival& arrival = grid_arrivals_[own.grid_barriers++];
  if (arrival.site != site)
    add_fault({.kind = FaultKind::barriers_differ, .first = {arrival.lane, arrival.site}, .second = {lane, site}});
  own.grid_time = own.block_time = own.warp_time = arrival.time;
}

void AccessCheck::meet_warp(uint32_t lane, uint32_t site) {
  constexpr int warp_bits = 5;
  Block& block = block_of(lane);
  Lane& own = block.lanes[lane & lane_mask];
  own.site = site;
  std::vector<Arrival>& arrivals = block.of_warps[(lane & lane_mask) >> warp_bits];
  if (own.warp_barriers == arrivals.size()) arrivals.push_back({site, lane, ++shadow_->now});
  own.warp_time = std::max(own.warp_time, arrivals[own.warp_barriers++].time);
}

/// Lanes that have returned count as arrived.
void AccessCheck::finish_block(const Block& block) {
  const auto all = static_cast<uint32_t>(block.arrivals.size());
  for (uint32_t k = 0; k < block.lanes.size(); ++k) {
    const Lane& lane = block.lanes[k];
    if (lane.barriers == all || lane.has_returned) continue;
    const Arrival& missed = block.arrivals[lane.barriers];
    return add_fault({.kind = FaultKind::barrier,
                      .first = {missed.lane, missed.site},
                      .second = {block.number << ir::lane_bits | k, lane.site}});
  }
}

}  // namespace tessera::engine
