/// Typed containers of Python's whose memory fields of objects share.
#pragma once

#include <Python.h>

#include <cstdint>

#include "tessera/bind/bindings.h"
#include "tessera/bind/kernel/memory/container_image.h"
#include "tessera/kernel/types/type.h"

namespace tessera::bind {

/// A typed container of Python's of what is in memory of fields there.
PyObject* container_of_fields(const kernel::Type& type, int64_t header);
/// The container in memory of fields has these items from now on.
void write_container(const ContainerImage& image, PyObject* items);

void bind_field_containers(nanobind::module_& kernels);

}  // namespace tessera::bind
