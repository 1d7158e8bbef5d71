#include "tessera/bind/kernel/memory/container_image.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/memory/table_index.h"
#include "tessera/kernel/values/table/table.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::TypeKind;

namespace {

bool lies_in(int64_t address, const std::vector<int64_t>& words) {
  const int64_t begin = address_of(words.data());
  return !words.empty() && address >= begin && address < begin + static_cast<int64_t>(words.size());
}

/// The words at the address, which are a call's, in a vector of so many.
void take_over(int64_t& address, size_t used, size_t room, std::vector<int64_t>& to, std::vector<int64_t>& former) {
  std::vector<int64_t> taken(std::max<size_t>(room, 1));
  std::copy_n(words_at(address), used, taken.begin());
  former = std::exchange(to, std::move(taken));
  address = address_of(to.data());
}

/// The words at the address, which are a call's, in memory of fields.
void take_over(int64_t& address, size_t used, size_t room, bool is_leaf) {
  int64_t* const taken = memory_of_fields().words.take(static_cast<int64_t>(std::max<size_t>(room, 1)), true, is_leaf);
  std::copy_n(words_at(address), used, taken);
  address = address_of(taken);
}

void settle_in_fields(const ContainerImage& image, std::span<const int64_t> before) {
  int64_t* const header = words_at(image.memory.header());
  if (header[entries_word] != before[entries_word])
    take_over(header[entries_word], static_cast<size_t>(header[used_word]) * image.each,
              static_cast<size_t>(header[capacity_word]) * image.each, true);
  if (image.type->kind == TypeKind::list || header[kernel::index_word] == before[kernel::index_word]) return;
  const auto size = static_cast<size_t>(header[kernel::mask_word] + 1);
  take_over(header[kernel::index_word], size, size, true);
}

}  // namespace

std::span<const int64_t> ContainerImage::header_words() const {
  return std::span(words_at(memory.header()), type->kind == TypeKind::list ? size_t{3} : size_t{kernel::table_words});
}

void ContainerImage::settle(std::span<const int64_t> before) {
  if (root) return settle_in_fields(*this, before);
  int64_t* const header = memory.words.data();
  if (!lies_in(header[entries_word], memory.words) && !lies_in(header[entries_word], entries))
    take_over(header[entries_word], static_cast<size_t>(header[used_word]) * each,
              static_cast<size_t>(header[capacity_word]) * each, entries, former_entries);
  if (type->kind != TypeKind::list) {
    int64_t& at = header[kernel::index_word];
    const auto size = static_cast<size_t>(header[kernel::mask_word] + 1);
    if (!lies_in(at, memory.words) && !lies_in(at, memory.index) && !lies_in(at, index))
      take_over(at, size, size, index, former_index);
  }
  is_ahead = true;
}

void bind_container_image(nb::module_& kernels) {
  nb::class_<ContainerImage>(kernels, "container_image", "A typed container in memory, which calls share.")
      .def_prop_ro(
          "is_ahead",
          [](const ContainerImage& image) { return image.is_ahead || image.users > 0 || image.root != nullptr; },
          "Whether calls may have changed it since it was read.")
      .def_prop_ro(
          "is_used", [](const ContainerImage& image) { return image.users > 0; },
          "Whether a call that runs, or a generator that has not ended, has it.")
      .def_prop_ro(
          "is_of_fields", [](const ContainerImage& image) { return image.root != nullptr; },
          "Whether fields of objects may hold it, so that what Python changes is written there.")
      .def(
          "read",
          [](ContainerImage& image) {
            Object items(read_items(image.type, image.memory.header()));
            image.is_ahead = false;
            return nb::steal<nb::object>(items.release());
          },
          "The list or dict of what is in it.");
}

}  // namespace tessera::bind
