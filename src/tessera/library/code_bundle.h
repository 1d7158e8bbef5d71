/// One file of machine code for several architectures and PTX for newer ones.
#pragma once

#include <span>
#include <string>

namespace tessera::library {

struct CodePart {
  std::string code;
  bool is_ptx = false;
  std::string architecture;  // "90", "90a"
};

/// What the driver loads, by the part that suits a device. Throws LibraryMissing where NVIDIA's nvFatbin is not found.
std::string bundle_code(std::span<const CodePart> parts);

}  // namespace tessera::library
