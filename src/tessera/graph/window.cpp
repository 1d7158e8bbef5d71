#include "tessera/graph/window.h"

namespace tessera::graph {

namespace {

constexpr size_t first_capacity = 64;

void mix(uint64_t& key, uint64_t word) {
  key = (key ^ word) * 0x9E3779B97F4A7C15ull;
  key ^= key >> 32;
}

}  // namespace

Window::Window() : nodes_(first_capacity), mask_(first_capacity - 1), seen_(seen_count), slots_(slots_mask + 1), draft_(Form::make()) {}

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

/// Versions are told apart by how long ago this window named them, offsets by the distance from the last one.
void Window::use(Version& version, int64_t at, int64_t offset, uint64_t& key) {
  const bool known = version.last.window == this && version.last.place >= place(begin_);
  if (known) {
    mix(key, static_cast<uint64_t>(at - version.last.place) ^ static_cast<uint64_t>(offset - version.last.offset) << 16);
  } else {
    mix(key, ~static_cast<uint64_t>(version.nbytes));
  }
  version.last = {this, at, offset};
  version.user = version.uses == 0 || version.user == this ? this : nullptr;
  ++version.uses;
}

void Window::commit() {
  static_assert(max_inputs + 2 <= places_a_node);
  Node& node = (*this)[end_];
  const Form& form = *node.form;
  const int64_t at = place(end_);
  uint64_t key = form.hash;
  for (int i = 0; i < form.input_count; ++i) {
    if (Version* version = node.inputs[i].version.get()) use(*version, at + i, node.inputs[i].offset, key);
  }
  if (node.old) use(*node.old, at + max_inputs, node.offset, key);
  Version& out = *node.out;
  mix(key, static_cast<uint64_t>(out.nbytes));
  out.window = this;
  out.producer = end_;
  out.last = {this, at + max_inputs + 1, node.offset};
  node.key = key;
  node.starts_turn = false;
  loops_.add(form.hash ^ node.site * 0x9E3779B97F4A7C15ull);
  ++end_;
}

void Window::mark_turn(int64_t number) {
  Node& node = (*this)[number];
  if (node.starts_turn) return;
  node.starts_turn = true;
  mix(node.key, 1);
}

void Window::pop_before(int64_t number) {
  for (; begin_ < number; ++begin_) {
    Node& node = (*this)[begin_];
    for (int i = 0; i < node.form->input_count; ++i) {
      if (node.inputs[i].version) --node.inputs[i].version->uses;
      node.inputs[i].version = nullptr;
    }
    node.out = nullptr;
    if (node.old) --node.old->uses;
    node.old = nullptr;
  }
  if (begin_ == end_) held_bytes = 0;
}

}  // namespace tessera::graph
