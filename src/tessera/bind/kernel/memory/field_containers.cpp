#include "tessera/bind/kernel/memory/field_containers.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <span>

#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/memory/container_memory.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/objects/type_object.h"

namespace tessera::bind {

namespace nb = nanobind;

PyObject* container_of_fields(const kernel::Type& type, int64_t header) {
  auto image = std::make_shared<ContainerImage>(
      ContainerImage{.type = type, .memory = {}, .each = count_words(type->elements.at(0))});
  image->memory.shared = header;
  append_type_words(type, image->memory.types);
  image->root = keep_in_fields(header);
  static constinit Imported made("tessera.functions.typed_containers", "made_of_fields");
  return nb::handle(made)(type_object(type), nb::cast(image)).release().ptr();
}

void write_container(const ContainerImage& image, PyObject* items) {
  const ObjectsInUse building;
  const int64_t made = container_in_fields(image.type, items);
  std::ranges::copy(std::span(words_at(made), image.header_words().size()), words_at(image.memory.header()));
}

void bind_field_containers(nb::module_& kernels) {
  kernels.def(
      "write_container", [](const ContainerImage& image, nb::handle items) { write_container(image, items.ptr()); },
      nb::arg("image"), nb::arg("items"), "Fields that hold the container have it with these items.");
}

}  // namespace tessera::bind
