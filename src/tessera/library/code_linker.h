/// Linking code for a device: a kernel's with that of functions which it calls.
#pragma once

#include <cstdint>
#include <span>
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

struct LinkOptions {
  int capability = 90;
  int optimization = -1;                    // 0 to 4; -1: the linker's own
  const runtime::Device* device = nullptr;  // whose driver loads the code; any if null
};

/// Machine code of all parts. Throws LibraryMissing where NVIDIA's nvJitLink is not found, and RuntimeError with the
/// linker's words where it fails.
std::string link_code(std::span<const LinkPart> parts, const LinkOptions& options);

}  // namespace tessera::library
