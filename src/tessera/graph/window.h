/// Window: the nodes that one thread has recorded and that have not run yet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/graph/loop_detector.h"
#include "tessera/graph/node.h"

namespace tessera::graph {

/// A ring of nodes, numbered from the first one ever recorded. Running a prefix leaves the other nodes in place.
class Window {
 public:
  Window();

  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t size() const { return end_ - begin_; }
  /// The number of the first reference of node `number`, as counted in Version::last.place.
  static int64_t place(int64_t number) { return number * places_a_node; }
  Node& operator[](int64_t number) { return nodes_[static_cast<size_t>(number) & mask_]; }
  const Node& operator[](int64_t number) const { return nodes_[static_cast<size_t>(number) & mask_]; }

  /// The form of the node one iteration ago, which a loop is likely to use again, or null.
  const Form* expected() {
    const uint64_t distance = loops_.distance();
    if (distance == 0) return nullptr;
    slot_ = slots_[static_cast<uint64_t>(end_) - distance & slots_mask];
    return seen_[slot_].form.get();
  }
  /// The form last used with this key, or null. Keys are hashes of what the caller knows before it fills in a form.
  const Form* seen(uint64_t key) {
    slot_ = slot_of(key);
    return seen_[slot_].key == key ? seen_[slot_].form.get() : nullptr;
  }
  /// A form to fill in for next(), which may keep it.
  Form& draft() { return *draft_; }
  /// The slot of the next node, empty except for its form: the one cached under this key if it equals the draft, else
  /// the draft. Fill it in, then commit().
  Node& next(uint64_t key);
  /// The same with the form that expected() or seen() returned last.
  [[gnu::always_inline]] Node& next(const Form& form) {
    if (static_cast<size_t>(size()) > mask_) [[unlikely]]
      make_room();
    slots_[static_cast<size_t>(end_) & slots_mask] = slot_;
    Node& node = (*this)[end_];
    if (node.form.get() != &form) node.form = Ref<const Form>(&form);
    return node;
  }
  /// Appends the node that next() returned: marks its output as pending here and counts its reads.
  void commit(Node& node);
  /// The same for a node of kind `call`, with operands and results in node.call.
  void commit_call(Node& node);
  /// The first call among the nodes [number, until), or `until`.
  int64_t next_call(int64_t number, int64_t until) const;
  /// Marks this node as the first of an iteration.
  void mark_iteration(int64_t number);
  /// Puts the first nodes into this order, a permutation of their positions in which each still follows what it needs.
  void reorder(std::span<const int32_t> order);
  /// Removes the nodes before `number` and releases their references. Their outputs must no longer be pending; their
  /// operands are in use until `ticket`.
  void pop_before(int64_t number, uint64_t ticket = 0);

  LoopDetector& loops() { return loops_; }
  /// Bytes of settled versions that only nodes of this window keep alive.
  int64_t held_bytes = 0;

 private:
  static constexpr int64_t places_a_node = 16;  // inputs, then `old`, then `out`

  struct Seen {
    uint64_t key = 0;
    Ref<const Form> form;
  };
  static constexpr size_t seen_count = 512;
  static uint16_t slot_of(uint64_t key) { return static_cast<uint16_t>(key >> 55); }
  static constexpr size_t slots_mask = 2 * LoopDetector::longest_period - 1;

  void make_room();
  void finish_commit(Node& node, uint64_t key);
  uint64_t use(Version& version, int64_t reference, int64_t offset);
  uint64_t relate(Version& version, int64_t number, int64_t reference, int64_t offset);
  static uint64_t key_of_result(const Node& node);
  void relate_again(int64_t number);

  std::vector<Node> nodes_;
  size_t mask_;
  std::vector<Seen> seen_;
  std::vector<uint16_t> slots_;  // index in seen_ of the form of each recent node
  int64_t calls_ = 0;            // among the pending nodes
  uint16_t slot_ = 0;            // index in seen_ of the form last returned
  Ref<Form> draft_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  LoopDetector loops_;
};

}  // namespace tessera::graph
