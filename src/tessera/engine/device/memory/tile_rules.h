/// TileRules: whether arrays are cut over several devices, and may be put together at one place.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::engine {

enum class CutRule : uint8_t {
  automatic,  // arrays that do not fit one device, and those from DeviceSet::least_cut_bytes() on
  from_size,  // arrays of so many bytes, too
  always,     // every array with more elements than there are places
};
enum class GatherRule : uint8_t { allow, error };

struct TileRules {
  CutRule cut = CutRule::automatic;
  int64_t least_bytes = 0;  // of CutRule::from_size
  GatherRule gather = GatherRule::allow;
};

/// Of the process; the environment variables TESSERA_CUT (auto, always, bytes) and TESSERA_GATHER (allow, error) give
/// the first ones. The engine's lock guards them.
TileRules& tile_rules();
/// By the names that the variables take; throws ValueError for others.
void set_tile_rules(const std::string& cut, const std::string& gather);

/// How many bytes of an operand that all places need, a factor of matrices, they bring at a time. Results' bits depend
/// on it. The environment variable TESSERA_PANEL gives the first one.
int64_t& panel_bytes();

/// How many of others' lanes, as a share of its own, a place runs rather than wait for their results in every step.
double most_extra_lanes();

/// Counts that so many bytes of tiles meet at one place because of `what`; throws RuntimeError where that is forbidden.
void note_gather(int64_t nbytes, const std::string& what);

}  // namespace tessera::engine
