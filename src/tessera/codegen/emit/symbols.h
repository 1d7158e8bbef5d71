/// Names of what compiled code for the host calls outside itself.
#pragma once

#include <string>

#include "tessera/ir/opcode.h"
#include "tessera/layout/dtype.h"

namespace tessera::codegen {

/// The non-temporal copy and the prefetch; see stream_copy.h.
inline constexpr const char* stream_copy_symbol = "tessera_stream_copy";
inline constexpr const char* prefetch_symbol = "tessera_prefetch";

/// The memory of blocks whose lanes keep much; see block_memory.h.
inline constexpr const char* take_memory_symbol = "tessera_take_memory";
inline constexpr const char* give_memory_symbol = "tessera_give_memory";

/// The function that interprets a box, and its context; see exact_kernel.h.
inline constexpr const char* exact_symbol = "tessera_exact";
inline constexpr const char* exact_context_symbol = "tessera_exact_context";

/// The precompiled loop of a long function.
std::string loop_symbol(ir::Opcode op, DType dtype);
/// The same of a function of numbers in registers; `count`: of a vector, 0: of one number.
std::string value_symbol(ir::Opcode op, DType dtype, int count);

}  // namespace tessera::codegen
