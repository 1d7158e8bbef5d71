/// Tokens of CUDA C++, with macros that stand for tokens replaced.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/source/token.h"

namespace tessera::kernel {

/// Comments and directives are left out. `#define NAME tokens` and `defines` ("T=float") replace names; macros with
/// parameters do not. What a condition leaves out is left out; where the text does not tell, both branches stay, and
/// what they define is unknown.
Tokens tokens_of(std::string_view text, std::span<const std::string> defines = {});

/// The place after the mark that closes the one at `open`: of ( ) [ ] { }, and of < > as templates have them.
size_t after_closing(std::span<const Token> tokens, size_t open);
/// The parts between commas that are in no parentheses; none for no tokens.
std::vector<Tokens> split_at_commas(std::span<const Token> tokens);
/// The tokens as text, with blanks between words.
std::string text_of(std::span<const Token> tokens);

}  // namespace tessera::kernel
