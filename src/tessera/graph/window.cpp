#include "tessera/graph/window.h"

#include <algorithm>

#include "tessera/base/hash.h"

namespace tessera::graph {

namespace {

constexpr size_t first_capacity = 64;
constexpr uint64_t starts_iteration_key = 0x9E3779B97F4A7C15ull;

/// Mixes a word of a key with the number of the reference within the node.
[[gnu::always_inline]] inline uint64_t mixed(uint64_t word, uint64_t reference) {
  SumHash hash(reference);
  hash.add(word);
  return hash.sum();
}

}  // namespace

Window::Window()
    : nodes_(first_capacity),
      mask_(first_capacity - 1),
      seen_(seen_count),
      slots_(slots_mask + 1),
      draft_(Form::make()) {}

void Window::make_room() {
  std::vector<Node> bigger(nodes_.size() * 2);
  for (int64_t i = begin_; i < end_; ++i) bigger[static_cast<size_t>(i) & (bigger.size() - 1)] = std::move((*this)[i]);
  nodes_ = std::move(bigger);
  mask_ = nodes_.size() - 1;
}

Node& Window::next(uint64_t key) {
  slot_ = slot_of(key);
  Seen& seen = seen_[slot_];
  seen.key = key;
  if (!seen.form || !seen.form->matches(*draft_)) {
    draft_->set_hash();
    seen.form = Ref<const Form>(draft_.get());
    draft_ = Ref<Form>(Form::make());
  }
  return next(*seen.form);
}

/// Versions are identified by how long ago this window referenced them, offsets by the distance from the last one.
[[gnu::always_inline]] inline uint64_t Window::relate(Version& version, int64_t number, int64_t reference,
                                                      int64_t offset) {
  const int64_t at = place(number) + reference;
  const bool known = version.last.window == this && version.last.place >= place(begin_);
  const uint64_t relation =
      known ? static_cast<uint64_t>(at - version.last.place) ^ static_cast<uint64_t>(offset - version.last.offset) << 16
            : ~static_cast<uint64_t>(version.nbytes);
  version.last = {this, at, offset};
  return mixed(relation, static_cast<uint64_t>(reference));
}

[[gnu::always_inline]] inline uint64_t Window::use(Version& version, int64_t reference, int64_t offset) {
  if (version.uses++ == 0) {
    version.user = this;
  } else if (version.user != this) [[unlikely]] {
    version.user = nullptr;
  }
  return relate(version, end_, reference, offset);
}

void Window::commit(Node& node) {
  static_assert(max_inputs + 2 <= places_a_node);
  const Form& form = *node.form;
  uint64_t key = form.hash;
  const auto use_input = [&](int i) {
    if (Version* version = node.inputs[i].version.get()) key += use(*version, i, node.inputs[i].offset);
  };
  use_input(0);
  use_input(1);
  for (int i = 2; i < form.input_count; ++i) use_input(i);
  if (node.old) key += use(*node.old, max_inputs, node.offset);
  finish_commit(node, key);
}

[[gnu::always_inline]] inline uint64_t Window::key_of_result(const Node& node) {
  return mixed(static_cast<uint64_t>(node.out->nbytes), max_inputs + 1);
}

[[gnu::always_inline]] inline void Window::finish_commit(Node& node, uint64_t key) {
  Version& out = *node.out;
  out.window = this;
  out.producer = end_;
  out.last = {this, place(end_) + max_inputs + 1, node.offset};
  node.key = key + key_of_result(node);
  node.starts_iteration = false;
  loops_.add(node.form->hash ^ node.site * 0x9E3779B97F4A7C15ull);
  ++end_;
}

void Window::commit_call(Node& node) {
  uint64_t key = node.form->hash;
  int64_t reference = 0;
  for (const CallOperand& operand : node.call->operands) {
    key += use(*operand.version, reference, operand.view.offset);
    reference = std::min<int64_t>(reference + 1, max_inputs);
  }
  for (const CallOperand& result : node.call->results) {
    result.version->window = this;
    result.version->producer = end_;
    result.version->last = {this, place(end_) + max_inputs + 1, 0};
  }
  ++calls_;
  finish_commit(node, key);
}

int64_t Window::next_call(int64_t number, int64_t until) const {
  if (calls_ == 0) [[likely]]
    return until;
  while (number < until && !(*this)[number].call) ++number;
  return number;
}

void Window::mark_iteration(int64_t number) {
  Node& node = (*this)[number];
  if (node.starts_iteration) return;
  node.starts_iteration = true;
  node.key ^= starts_iteration_key;
}

namespace {

/// Calls visit(version, reference, offset) for all that the node reads, in the order in which it was recorded.
template <class Visit>
void each_read(Node& node, Visit&& visit) {
  if (node.call) {
    int64_t reference = 0;
    for (const CallOperand& operand : node.call->operands) {
      visit(*operand.version, reference, operand.view.offset);
      reference = std::min<int64_t>(reference + 1, max_inputs);
    }
    return;
  }
  for (int i = 0; i < node.form->input_count; ++i)
    if (Version* version = node.inputs[i].version.get()) visit(*version, i, node.inputs[i].offset);
  if (node.old) visit(*node.old, max_inputs, node.offset);
}

template <class Visit>
void each_result(Node& node, Visit&& visit) {
  if (node.call)
    for (const CallOperand& result : node.call->results) visit(*result.version);
  visit(*node.out);
}

}  // namespace

/// Where a moved node is, and its key there; its references count as before.
void Window::relate_again(int64_t number) {
  Node& node = (*this)[number];
  uint64_t key = node.form->hash;
  each_read(node, [&](Version& version, int64_t reference, int64_t offset) {
    key += relate(version, number, reference, offset);
  });
  each_result(node, [&](Version& version) {
    version.producer = number;
    version.last = {this, place(number) + max_inputs + 1, node.call ? 0 : node.offset};
  });
  if (node.call) node.out->last.offset = node.offset;
  node.key = (key + key_of_result(node)) ^ (node.starts_iteration ? starts_iteration_key : 0);
}

void Window::reorder(std::span<const int32_t> order) {
  std::vector<Node> moved;
  moved.reserve(order.size());
  for (const int32_t from : order) moved.push_back(std::move((*this)[begin_ + from]));
  for (size_t k = 0; k < moved.size(); ++k) (*this)[begin_ + static_cast<int64_t>(k)] = std::move(moved[k]);
  for (int64_t number = begin_; number < end_; ++number) {
    each_read((*this)[number], [](Version& version, int64_t, int64_t) { version.last = {}; });
    each_result((*this)[number], [](Version& version) { version.last = {}; });
  }
  for (int64_t number = begin_; number < end_; ++number) relate_again(number);
}

void Window::pop_before(int64_t number, uint64_t ticket) {
  const auto let_go = [ticket](Ref<Version>& version) {
    Version* used = version.release();
    if (!used) return;
    --used->uses;
    if (ticket > used->ticket) used->ticket = ticket;
    Ref<Version>::adopt(used);
  };
  for (; begin_ < number; ++begin_) {
    Node& node = (*this)[begin_];
    for (int i = 0, count = node.form->input_count; i < count; ++i) let_go(node.inputs[i].version);
    let_go(node.old);
    if (node.call) [[unlikely]] {
      for (CallOperand& operand : node.call->operands) let_go(operand.version);
      node.call = nullptr;
      --calls_;
    }
    node.out = nullptr;
  }
  if (begin_ == end_) held_bytes = 0;
}

}  // namespace tessera::graph
