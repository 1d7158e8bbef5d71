/// Draft: the state that the planner's passes share.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tessera/plan/plan.h"
#include "tessera/plan/plan_options.h"
#include "tessera/plan/request.h"

namespace tessera::plan {

/// One version as used in the window.
struct VersionUse {
  int producer = -1;  // node that makes it, or -1: it existed before the window
  NodeRef external;   // where the runner finds it if it existed before
  int64_t nbytes = 0;
  std::vector<int> readers;  // nodes with an operand on it, in order
  std::vector<int> writers;  // write nodes that start from it
  bool live = false;         // needed after the window
  bool dead = false;         // existed before, and its memory is free after its last reader
  int slot = -1;
};

/// How a write node gets its memory.
enum class WriteMode : uint8_t {
  in_place,  // stores over the old version's memory
  rename,    // stores into new memory; the untouched rest is copied from the old version
};

/// Nodes that become one kernel. All iterate over `shape`; a reduction, if any, is the last node.
struct Group {
  Dims shape;
  std::vector<int> nodes;
  int reduction = -1;  // the reduce node
  int accesses = 0;    // number of loads and stores of its kernel
};

/// A node that reads another one's result from memory, and why it is not in the same kernel.
struct Apart {
  int reader = -1;
  int producer = -1;
  const char* why = "";
  friend bool operator==(const Apart&, const Apart&) = default;
};
// Reasons that elementwise nodes and reductions share.
inline constexpr const char* apart_by_reduction = "a reduction's result is there when its kernel ends";
inline constexpr const char* apart_by_elements =
    "its element i reads other elements than element i (a view or a broadcast)";

struct Draft {
  const Request& request;
  PlanOptions options{};
  std::vector<VersionUse> versions;
  std::unordered_map<const graph::Version*, int> version_index;
  std::vector<int> group_of;          // by node: its group; -1: its output is not needed
  std::vector<WriteMode> write_mode;  // by node
  std::vector<bool> stored;           // by node: its output needs memory
  std::vector<Group> groups;
  bool notes_apart = false;  // fuse_nodes fills in `apart`, for explain()
  std::vector<Apart> apart;
  Plan plan;

  const graph::Node& node(int i) const { return request.node(i); }
  int version_of(const graph::Version* version) const { return version_index.at(version); }
  VersionUse& use(const graph::Version* version) { return versions[version_of(version)]; }
  const VersionUse& use(const graph::Version* version) const { return versions[version_of(version)]; }
};

/// The elements of an operand, as a view over the node's shape.
View operand_view(const graph::Node& node, int input);
View output_view(const graph::Node& node);
/// The node of this request whose result is operand `input` of `node`, element for element; or -1.
int aligned_producer(const Draft& draft, const graph::Node& node, int input);

// Passes over the draft; planner.cpp lists all in order.
void find_versions(Draft& draft);
void fuse_nodes(Draft& draft);
void assign_slots(Draft& draft);
void lower_groups(Draft& draft);
void schedule_memory(Draft& draft);

// Used by fuse_nodes: a group that only computes the operand of one reduction moves into the reduction's loop.
void join_reductions(Draft& draft);

// Used by lower_groups, one function for each kind of loop.
void lower_map(Draft& draft, int group);
void lower_reduction(Draft& draft, int group);

}  // namespace tessera::plan
