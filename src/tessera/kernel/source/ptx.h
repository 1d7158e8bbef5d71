/// What PTX declares.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::kernel {

/// The bytes of a kernel's parameters; empty where the text has no kernel of that symbol.
std::optional<std::vector<int64_t>> parameter_sizes(std::string_view ptx, std::string_view symbol);

}  // namespace tessera::kernel
