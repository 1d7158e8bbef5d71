/// Lists, dicts and sets of Python's as compiled functions take them.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/bind/kernel/memory/list_memory.h"
#include "tessera/kernel/types/type.h"

namespace tessera::bind {

struct CallMemory;

/// Adds the types of a list's elements, which are all the same, and its memory. Returns the address of its header, in
/// words; arrays stay where they are. Throws ValueError for an empty list and TypeError for elements that lists of
/// functions do not have. `into`: memory that outlives the call.
int64_t add_list(PyObject* list, std::vector<uint32_t>& types, std::vector<ListMemory>& lists,
                 CallMemory* into = nullptr);
/// Adds the type of a dict, a set or a typed list, and its memory. Returns the address of its header, in words.
int64_t add_container(PyObject* object, std::vector<uint32_t>& types, std::vector<ListMemory>& lists,
                      CallMemory* into = nullptr);
/// The address of the header of a container of this type in the memory of fields: a copy of one of Python's, that of a
/// typed one, which is shared from then on.
int64_t container_in_fields(const kernel::Type& type, PyObject* object);
/// The memory of a typed container that earlier calls have left; null where there is none.
std::shared_ptr<ContainerImage> image_of(PyObject* object);
/// How many words a value of the type takes.
size_t count_words(const kernel::Type& type);
/// The type as values in memory have it.
kernel::Type in_memory(const kernel::Type& type);
/// The words that tell a type of an element.
void append_type_words(const kernel::Type& type, std::vector<uint32_t>& words);

}  // namespace tessera::bind
