/// Draft: what the passes of the planner hand to each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tessera/plan/planner.h"

namespace tessera::plan {

/// One version as the window sees it.
struct VersionUse {
  int producer = -1;  // node, or -1: it came from before
  NodeRef external;   // where the runner finds it when it came from before
  int64_t nbytes = 0;
  std::vector<int> readers;  // nodes with an operand on it, in order
  std::vector<int> writers;  // write nodes that start from it
  bool live = false;         // wanted after the window
  bool dead = false;         // came from before, and its memory is free after its last reader
  int slot = -1;
};

/// How a write node gets its memory.
enum class WriteMode : uint8_t {
  in_place,  // stores over the old version's memory
  rename,    // stores into new memory; what it leaves untouched is copied from the old
};

/// Nodes that become one kernel. All walk `shape`; a fold, if any, is the last node.
struct Group {
  Dims shape;
  std::vector<int> nodes;
  int reduction = -1;  // the reduce node
  int accesses = 0;    // loads and stores its kernel will have
};

struct Draft {
  const Request& request;
  std::vector<VersionUse> versions;
  std::unordered_map<const graph::Version*, int> version_index;
  std::vector<int> group_of;          // node -> group, -1: nobody wants its output
  std::vector<WriteMode> write_mode;  // node
  std::vector<bool> stored;           // node: its output needs memory
  std::vector<Group> groups;
  Plan plan;

  const graph::Node& node(int i) const { return request.node(i); }
  int version_of(const graph::Version* version) const { return version_index.at(version); }
  VersionUse& use(const graph::Version* version) { return versions[version_of(version)]; }
  const VersionUse& use(const graph::Version* version) const { return versions[version_of(version)]; }
};

/// Where an operand lies, as a view over the node's shape.
View operand_view(const graph::Node& node, int input);
View output_view(const graph::Node& node);
/// The node of `group` whose value operand `input` of `node` is, element for element; or -1.
int aligned_producer(const Draft& draft, const graph::Node& node, int input);

// The passes, in order.
void find_versions(Draft& draft);    // who reads, who writes, what is dead
void fuse_nodes(Draft& draft);       // nodes into groups
void assign_slots(Draft& draft);     // versions into memory
void lower_groups(Draft& draft);     // groups into kernels
void schedule_memory(Draft& draft);  // when memory is made and dropped

// Used by lower_groups: one function a kind of loop.
void lower_map(Draft& draft, int group);
void lower_reduction(Draft& draft, int group);

}  // namespace tessera::plan
