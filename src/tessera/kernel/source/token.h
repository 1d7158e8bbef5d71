/// Token: a word or mark of CUDA C++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::kernel {

struct Token {
  enum class Kind : uint8_t { name, number, text, mark };
  Kind kind;
  std::string text;
  int line = 0;
  bool is(std::string_view other) const { return text == other && kind != Kind::text; }
};
using Tokens = std::vector<Token>;

}  // namespace tessera::kernel
