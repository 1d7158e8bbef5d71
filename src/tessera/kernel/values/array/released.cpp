#include "tessera/kernel/values/array/released.h"

#include <algorithm>

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

/// Whether values of the type lie nowhere but in registers.
bool is_without_memory(const Type& type) {
  switch (type->kind) {
    case TypeKind::scalar:
    case TypeKind::none:
    case TypeKind::entity:
    case TypeKind::range:
    case TypeKind::functions:
    case TypeKind::texts: return true;
    case TypeKind::tuple:
    case TypeKind::slice:
    case TypeKind::optional: return std::ranges::all_of(type->elements, is_without_memory);
    case TypeKind::choice:  // one array or another, of which any may be an own one
    case TypeKind::computed: return !type->elements.empty() && std::ranges::all_of(type->elements, is_without_memory);
    default: return type.is_array() && !type->is_heap;  // an argument, a constant, or a view of one
  }
}

bool has_array(const Type& type) { return type.is_array_like() || std::ranges::any_of(type->elements, has_array); }

/// Whether arrays may be kept by more than variables: by lists and dicts, also those that are arguments, by objects, or
/// by generators.
bool keeps_arrays(const Lowering& l) {
  if (l.known->lists.has_any || l.known->keeps_arrays || !l.known->generators.empty()) return true;
  for (const auto& [place, list] : l.known->lists.elements)
    if (list.type && has_array(*list.type)) return true;
  for (const Frame* frame = l.frame; frame; frame = frame->caller)
    if (frame->generator) return true;
  return false;
}

}  // namespace

void releasing(Lowering& l, const Node& statement, const std::function<Passed()>& passes,
               const std::function<void()>& body) {
  if (!l.options.is_function) return body();
  if (l.known.infers()) {
    const size_t before = l.memory.allocations();
    body();
    if (l.memory.allocations() != before && !l.known->allocating.contains(&statement))
      l.known.add().allocating.insert(&statement);
    return;
  }
  const bool allocates = l.known->allocating.contains(&statement);
  if (!allocates || keeps_arrays(l) || !std::ranges::all_of(passes().types, is_without_memory)) return body();
  const ir::Value mark = call_host(l, HostFunction::mark_arena, {});
  body();
  call_host(l, HostFunction::release_arena, {mark});
}

}  // namespace tessera::kernel
