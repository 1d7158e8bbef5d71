/// SourceType: a C++ type as far as arguments depend on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "tessera/kernel/source/tokens.h"
#include "tessera/layout/dtype.h"

namespace tessera::kernel {

struct SourceType {
  std::string text;  // as it is written
  bool is_pointer = false;
  bool is_const = false;         // nothing is written through the pointer
  bool is_texture = false;       // a texture or surface object
  bool is_void = false;          // void*
  std::optional<DType> element;  // of the value, or of what the pointer points to; empty where it is not known
  int lanes = 1;                 // 4 for float4

  /// Of a value of the type, or of one element behind the pointer; 0 where it is not known.
  int64_t nbytes() const { return element ? itemsize(*element) * lanes : 0; }
  /// Whether an array with elements of this dtype can be passed: of the same size and kind, integers of any sign.
  bool takes_array(DType dtype) const;
};

/// What names stand for: typedefs, `using`, and the arguments of a template.
using TypeNames = std::map<std::string, Tokens, std::less<>>;

SourceType read_type(std::span<const Token> tokens, const TypeNames& names);

}  // namespace tessera::kernel
