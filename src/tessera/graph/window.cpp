#include "tessera/graph/window.h"

namespace tessera::graph {

namespace {
constexpr size_t first_capacity = 64;
}

Window::Window() : nodes_(first_capacity), mask_(first_capacity - 1) {}

Node& Window::next() {
  if (static_cast<size_t>(size()) == nodes_.size()) {
    std::vector<Node> bigger(nodes_.size() * 2);
    for (int64_t i = begin_; i < end_; ++i) bigger[static_cast<size_t>(i) & (bigger.size() - 1)] = std::move((*this)[i]);
    nodes_ = std::move(bigger);
    mask_ = nodes_.size() - 1;
  }
  return nodes_[static_cast<size_t>(end_) & mask_];
}

void Window::commit() {
  Node& node = (*this)[end_];
  node.hash = structural_hash(node);
  for (int i = 0; i < node.input_count; ++i) {
    if (Version* version = node.inputs[i].version.get()) {
      ++version->readers;
      version->reader = this;
    }
  }
  node.out->window = this;
  node.out->producer = end_;
  loops_.add(node.site ? node.hash ^ node.site * 0x9E3779B97F4A7C15ull : node.hash);
  ++end_;
}

void Window::pop_before(int64_t number) {
  for (; begin_ < number; ++begin_) {
    Node& node = (*this)[begin_];
    for (int i = 0; i < node.input_count; ++i) {
      if (node.inputs[i].version) --node.inputs[i].version->readers;
      node.inputs[i].version = nullptr;
    }
    node.out = nullptr;
    node.old = nullptr;
  }
  if (begin_ == end_) held_bytes = 0;
}

}  // namespace tessera::graph
