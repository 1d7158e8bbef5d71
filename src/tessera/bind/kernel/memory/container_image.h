/// ContainerImage: a typed container of Python's as compiled functions have it, which calls share.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tessera/bind/bindings.h"
#include "tessera/bind/kernel/memory/list_memory.h"
#include "tessera/kernel/types/type.h"

namespace tessera::bind {

/// The memory of a container of numbers and tuples of them. It stays as it is from call to call until Python changes
/// the container; after a call that may have changed it Python reads it anew when it asks. That of a container, of any
/// elements, which fields of objects may hold is theirs: what Python changes is written there.
struct ContainerImage {
  kernel::Type type;
  ListMemory memory;
  size_t each = 0;                                        // words of an element
  std::vector<int64_t> entries{}, index{};                // where calls needed more room than there was first
  std::vector<int64_t> former_entries{}, former_index{};  // an outer call may still be reading these
  bool is_ahead = false;                                  // of what Python has read
  int users = 0;                                          // calls that run, generators that have not ended
  std::shared_ptr<void> root{};                           // of what fields may hold

  /// Takes over what a call has left in memory of its own, where the header was as in `before`, and notes that Python
  /// has to read.
  void settle(std::span<const int64_t> before);
  /// The words of its header, which may lead to a call's memory.
  std::span<const int64_t> header_words() const;
};

/// A new list or dict of what is in memory there.
PyObject* read_items(const kernel::Type& type, int64_t header);

void bind_container_image(nanobind::module_& kernels);

}  // namespace tessera::bind
