/// Tokens of CUDA C++, with macros that stand for tokens replaced.
#pragma once

#include <cstdint>
#include <map>
#include <span>
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

/// Comments and directives are left out. `#define NAME tokens` and `defines` ("T=float") replace names; macros with
/// parameters do not. What stands under `#if 0` is left out, of other conditions both branches stay.
Tokens tokens_of(std::string_view text, std::span<const std::string> defines = {});

/// The place after the mark that closes the one at `open`: of ( ) [ ] { }, and of < > as templates have them.
size_t after_closing(std::span<const Token> tokens, size_t open);
/// The parts between commas that are in no parentheses; none for no tokens.
std::vector<Tokens> split_at_commas(std::span<const Token> tokens);
/// The tokens as text, with blanks between words.
std::string text_of(std::span<const Token> tokens);

}  // namespace tessera::kernel
