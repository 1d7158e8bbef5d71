/// What ptxas, where it is on the path, says of a kernel's text: for tests without a device.
#pragma once

#include <string>

namespace tessera::codegen {

/// Empty when ptxas takes the text for machines of capability sm, else what it says; with options all it says.
std::string assemble(const std::string& ptx, int sm, const std::string& options = "");
/// The capability to assemble for, which a ptxas that has dropped `sm` takes instead; 0 when there is none.
int assembled_for(int sm);
/// The registers a thread uses, from what `assemble` said with "-v"; 0 when it said no such thing.
int registers_of(const std::string& said);

}  // namespace tessera::codegen
