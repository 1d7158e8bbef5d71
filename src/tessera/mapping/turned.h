/// Turned: operands that are contiguous along another axis than the lanes, such as transposed ones, which blocks read
/// in the order of their memory and keep in shared memory.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tessera/mapping/grid_builder.h"
#include "tessera/mapping/lane.h"
#include "tessera/mapping/target.h"

namespace tessera::mapping {

struct Turned {
  int axis = 0;                 // along which they are contiguous
  std::vector<bool> buffers{};  // which ones
};

/// Those of the kernel's operands that are contiguous along one such axis. `elements` says how many of each load a
/// block keeps in shared memory, 0 where the mapping does not take the axis.
std::optional<Turned> find_turned(const ir::Kernel& kernel, const Operands& operands, const Target& target,
                                  const std::function<int64_t(int axis)>& elements);

/// The elements of all turned loads of a block, in shared memory.
class TurnedLoads {
 public:
  /// Declares the arrays: a slot for each of so many elements.
  TurnedLoads(GridBuilder& to, const ir::Kernel& kernel, const Turned& turned, int64_t elements);

  /// Loads the elements of the lane at these indices, which go to a slot. They are stored by `store`, so that many are
  /// under way together.
  void load(std::span<const ir::Value> at, ir::Value slot);
  void store();
  /// What the loads of a lane find in a slot.
  GivenLoad from(ir::Value slot) const;

 private:
  struct Arrays {
    uint32_t first;                    // of elements, or of their real parts
    std::optional<uint32_t> second{};  // of imaginary parts, so that neighbours are in different banks
  };
  struct Element {
    uint32_t array;
    ir::Value value, slot;
  };
  GridBuilder& to_;
  const ir::Kernel& kernel_;
  std::map<ir::Value, Arrays> arrays_;  // by load
  std::vector<Element> loaded_;
};

}  // namespace tessera::mapping
