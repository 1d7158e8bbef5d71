/// Assembles PTX with ptxas, where ptxas is on the path: for tests without a device.
#pragma once

#include <string>

namespace tessera::codegen {

/// Empty when ptxas accepts the text for machines of capability sm, else its messages; with `options` always its
/// messages.
std::string assemble(const std::string& ptx, int sm, const std::string& options = "");
/// The capability to assemble for: `sm`, or one that a ptxas without support for `sm` accepts instead; 0 when there is
/// none.
int assembled_for(int sm);
/// The registers a thread uses, read from the messages of `assemble` with "-v"; 0 when they do not report any.
int registers_of(const std::string& said);

}  // namespace tessera::codegen
