/// add_function: registers ops that are one primitive function of inexact (floating or complex) numbers.
#pragma once

#include <string_view>

#include "tessera/ops/bodies.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

/// Adds the op whose body is the primitive; conformance samples come from [low, high].
template <ir::Opcode op>
void add_function(OpTable& table, std::string_view name, std::string_view doc, ir::ErrorRule errors, double low,
                  double high) {
  table.add({.name = name,
             .doc = doc,
             .signatures = uniform_loops(inexact_codes, 1),
             .body = unary_body<op>,
             .errors = errors,
             .samples = {low, high}});
}

}  // namespace tessera::ops
