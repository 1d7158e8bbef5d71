/// Lines of the source in kernels: marks that say which line what follows comes from, for debuggers and profilers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Instruction::imm of a call_host that is a mark: its operands are the line and the file's number. It does nothing on
/// the host.
inline constexpr uint32_t line_mark = (1u << 24) - 1;

inline bool is_line_mark(const Instruction& i) { return i.op == Opcode::call_host && i.imm == line_mark; }

/// The number of a file: of its path alone, the same in each process.
int64_t file_number(const std::string& path);
/// The path of a file that has been numbered; empty for others.
std::string file_path(int64_t number);

}  // namespace tessera::ir
