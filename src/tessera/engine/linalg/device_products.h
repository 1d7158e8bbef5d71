/// Products of arrays by a device's own library.
#pragma once

#include <optional>

#include "tessera/engine/engine.h"
#include "tessera/library/blas/batch.h"

namespace tessera {

/// As tessera::product, on the device; empty where the host has to do it.
std::optional<Array> try_device_product(Engine& engine, library::Product kind, const Array& a, const Array& b,
                                        DType dtype);
std::optional<Array> try_device_dot(Engine& engine, const Array& a, const Array& b, DType dtype);
std::optional<Array> try_device_vdot(Engine& engine, const Array& a, const Array& b, DType dtype);

}  // namespace tessera
