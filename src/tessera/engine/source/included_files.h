/// The files that a source includes, as far as its text tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::engine {

/// A hash of the contents of all files that the text includes, directly or by others, from `folders`. Empty where a
/// name is computed: it cannot be told then what is included.
std::optional<uint64_t> hash_of_included(std::string_view text, std::span<const std::string> folders);

}  // namespace tessera::engine
