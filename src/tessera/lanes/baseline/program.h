/// BaselineProgram: the steps of a baseline kernel for each row and strip of lanes, as data.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/ir/loops.h"
#include "tessera/lanes/baseline/lane_loop.h"

namespace tessera::lanes {

inline constexpr int max_baseline_axes = 8;
inline constexpr size_t max_places = 128;
inline constexpr size_t max_uniforms = 64;
inline constexpr int64_t slot_budget = 32 << 10;  // bytes, so that slots stay in the first-level cache
inline constexpr int64_t gather_budget = 16 << 10, gather_alignment = 64;

/// The memory layout of a place's lanes.
struct PlaceForm {
  enum class Kind : uint8_t {
    access,   // of a buffer; at: index into accesses
    slot,     // one element per lane of the strip; at: bytes per lane of the slots before it
    uniform,  // one value; at: index of the uniform
    target,   // of a result: its slot, or its address in the buffer; at: index into results
  };
  Kind kind;
  uint8_t size;
  uint32_t at;
};

struct BaselineProgram {
  struct Access {
    uint32_t buffer;
    std::vector<int> axes;  // of the iteration space, one for each axis of the buffer
  };
  struct Call {
    ir::Loop loop;
    std::vector<uint32_t> places;  // operands first, the result last
  };
  struct Step {
    Call call{};
    size_t code = 0;  // where call.loop is null
  };
  struct Result {
    uint32_t access;  // place
    uint32_t slot;    // place, or no_place
    bool waits;       // always staged in its slot; else only where a result overlaps an operand
    bool streams;     // written by non-temporal stores
    ir::Loop copy;
  };
  static constexpr uint32_t no_place = ~0u;

  int ndim = 0;
  int64_t lanes = 0;  // of a strip; a multiple of 64
  bool watches = false;
  bool gathers = false;  // many short rows form a strip: calls per row would cost more than copying the rows
  std::vector<ir::BufferParam> buffers;
  std::vector<uint32_t> first_stride;                  // by buffer
  std::vector<std::pair<uint32_t, uint32_t>> sharing;  // results and operands that may share memory
  std::vector<Access> accesses;
  std::vector<PlaceForm> places;                       // accesses first
  std::vector<std::array<char, 16>> uniforms;          // constants are set, the others are written at run time
  std::vector<std::pair<uint32_t, uint32_t>> scalars;  // uniform, parameter
  std::optional<uint32_t> counts_from;                 // the uniform that is a strip's first index
  std::vector<Call> once, row;                         // that compute uniforms
  std::vector<Step> steps;                             // of a strip
  std::vector<Result> results;
  std::vector<std::pair<uint32_t, ir::Loop>> loads;  // of loads that vary between lanes: access, its copying loop
};

}  // namespace tessera::lanes
