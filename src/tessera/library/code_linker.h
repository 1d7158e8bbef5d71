/// Linking code for a device: a kernel's with that of functions which it calls.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera::runtime {
class Device;
}

namespace tessera::library {

enum class LinkKind : uint8_t { machine_code, ptx, for_linking, bundle, object, archive };

/// Of "cubin", "ptx", "ltoir", "fatbin", "object", "archive".
LinkKind link_kind(std::string_view name);

struct LinkPart {
  LinkKind kind = LinkKind::ptx;
  std::string name;  // for messages
  std::string code;
};

/// The linker's words, about code that cannot be joined.
class LinkFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LinkOptions {
  int capability = 90;
  int optimization = -1;  // 0 to 4; -1: the linker's own
  int max_registers = 0;  // of a thread, in code that the linker assembles; 0: no limit
  bool has_debug_info = false;
  bool has_line_info = false;
  const runtime::Device* device = nullptr;  // whose driver loads the code; any if null
};

/// Machine code of all parts. Throws LibraryMissing where NVIDIA's nvJitLink is not found, and LinkFailure.
std::string link_code(std::span<const LinkPart> parts, const LinkOptions& options);

}  // namespace tessera::library
