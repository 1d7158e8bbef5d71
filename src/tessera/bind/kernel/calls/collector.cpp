#include "tessera/bind/kernel/calls/collector.h"

#include "tessera/bind/kernel/calls/call_arguments.h"
#include "tessera/bind/kernel/host/host_calls.h"
#include "tessera/bind/kernel/memory/container_image.h"
#include "tessera/bind/kernel/memory/heap_collection.h"

namespace tessera::bind {

namespace {

/// Calls each(words) of all memory outside of its own that the call may have addresses in.
void visit_given(const HostCalls& calls, const std::function<void(std::span<const int64_t>)>& each) {
  each(calls.results);
  each(calls.frame);
  if (!calls.given) return;
  each(calls.given->words);
  for (const ListMemory& list : calls.given->lists) {
    if (list.image) {
      each(list.image->header_words());
      continue;
    }
    each(list.words);
    each(list.index);
    if (list.shared != 0) each(std::span(&list.shared, 1));
  }
}

void collect_own(HostCalls& calls, const StackRoots& stack) {
  HeapCollection collection(calls.own, calls.runs_parts);
  stack.visit([&](uintptr_t word) { collection.note_root(word); });
  if (calls.state.stack && calls.state.arena) collection.note_root(calls.state.arena->begin);
  collection.follow();
  visit_given(calls, [&](std::span<const int64_t> words) {
    for (int64_t word : words) collection.note(static_cast<uintptr_t>(word));
    collection.follow();
  });
  collection.sweep();
}

}  // namespace

bool is_collection_due(const HostCalls& calls) { return collects_always() || calls.heap().is_collection_due(); }

const void* CallRoots::stack() const { return calls_.state.stack; }
size_t CallRoots::bytes() const { return calls_.own.left_bytes; }
void CallRoots::collect() const {
  if (!calls_.shared) collect_own(calls_, StackRoots(calls_.state.stack));
}
void CallRoots::visit(bool is_collected, const std::function<void(std::span<const int64_t>)>& each) const {
  if (is_collected)
    calls_.own.words.each_marked(each);
  else
    calls_.own.words.each_block(each);
  visit_given(calls_, each);
  if (!calls_.state.stack || !calls_.state.arena) return;
  const auto begin = static_cast<int64_t>(calls_.state.arena->begin);
  each(std::span(&begin, 1));
}

void collect(HostCalls& calls, const StackRoots& stack) {
  if (calls.shared) return collect_objects(calls.state.stack != nullptr);
  collect_own(calls, stack);
}

}  // namespace tessera::bind
