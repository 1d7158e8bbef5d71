/// Window: the nodes one thread has recorded and nobody has run yet.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/graph/loop_detector.h"
#include "tessera/graph/node.h"

namespace tessera::graph {

/// A ring of nodes, numbered from the first one ever recorded. Running a prefix leaves the rest where it is.
class Window {
 public:
  Window();

  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t size() const { return end_ - begin_; }
  /// The first reference of node `number`, as Version::last.place counts them.
  static int64_t place(int64_t number) { return number * places_a_node; }
  Node& operator[](int64_t number) { return nodes_[static_cast<size_t>(number) & mask_]; }
  const Node& operator[](int64_t number) const { return nodes_[static_cast<size_t>(number) & mask_]; }

  /// The form of the node a turn ago, which a loop is likely to ask for again, or null.
  const Form* expected() {
    const uint64_t distance = loops_.distance();
    if (distance == 0) return nullptr;
    slot_ = slots_[static_cast<uint64_t>(end_) - distance & slots_mask];
    return seen_[slot_].form.get();
  }
  /// The form last asked for under this key, or null. Keys are hashes of what the caller knows before it fills a form
  /// in.
  const Form* seen(uint64_t key) {
    slot_ = slot_of(key);
    return seen_[slot_].key == key ? seen_[slot_].form.get() : nullptr;
  }
  /// A form to fill in for next(), which may keep it.
  Form& draft() { return *draft_; }
  /// The slot of the next node, all references empty but the form: the one seen under this key if it equals the draft,
  /// else the draft. Fill it, then commit().
  Node& next(uint64_t key);
  /// The same with the form that expected() or seen() gave last.
  [[gnu::always_inline]] Node& next(const Form& form) {
    if (static_cast<size_t>(size()) > mask_) [[unlikely]]
      make_room();
    slots_[static_cast<size_t>(end_) & slots_mask] = slot_;
    Node& node = (*this)[end_];
    if (node.form.get() != &form) node.form = Ref<const Form>(&form);
    return node;
  }
  /// Appends the node that next() gave: marks its output as pending here and counts its reads.
  void commit(Node& node);
  /// Says that a turn begins with this node.
  void mark_iteration(int64_t number);
  /// Forgets the nodes before `number`, dropping their references. Their outputs must be settled by then; what they
  /// read is in use until `ticket`.
  void pop_before(int64_t number, uint64_t ticket = 0);

  LoopDetector& loops() { return loops_; }
  /// Bytes of settled versions that nothing but nodes of this window keeps alive.
  int64_t held_bytes = 0;

 private:
  static constexpr int64_t places_a_node = 8;  // inputs, then `old`, then `out`

  struct Seen {
    uint64_t key = 0;
    Ref<const Form> form;
  };
  static constexpr size_t seen_count = 512;
  static uint16_t slot_of(uint64_t key) { return static_cast<uint16_t>(key >> 55); }
  static constexpr size_t slots_mask = 2 * LoopDetector::longest_period - 1;

  void make_room();
  uint64_t use(Version& version, int64_t reference, int64_t offset);

  std::vector<Node> nodes_;
  size_t mask_;
  std::vector<Seen> seen_;
  std::vector<uint16_t> slots_;  // in seen_, of the last nodes' forms
  uint16_t slot_ = 0;            // of the form looked at last
  Ref<Form> draft_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  LoopDetector loops_;
};

}  // namespace tessera::graph
