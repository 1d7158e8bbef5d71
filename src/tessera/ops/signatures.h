/// Short notations for lists of loops, in NumPy's one-letter type codes.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/ops/op.h"

namespace tessera::ops {

/// NumPy's order of loops by type code. 'e' stands for float16 and, right after it, bfloat16.
inline constexpr std::string_view integer_codes = "bBhHiIlL";
inline constexpr std::string_view floating_codes = "efd";
inline constexpr std::string_view inexact_codes = "efdFD";
inline constexpr std::string_view real_codes = "bBhHiIlLefd";
inline constexpr std::string_view number_codes = "bBhHiIlLefdFD";
inline constexpr std::string_view all_codes = "?bBhHiIlLefdFD";

/// One loop per code: nin operands and nout results of that type.
std::vector<Signature> uniform_loops(std::string_view codes, int nin, int nout = 1);
/// One loop per code: nin operands of that type and one result of type `result`.
std::vector<Signature> loops_to(DType result, std::string_view codes, int nin);
/// Loops in the notation of NumPy's `types`, separated by blanks: "ei->e fi->f".
std::vector<Signature> parse_loops(std::string_view text);
/// A loop in NumPy's notation: "dd->d"; bfloat16 is 'E'.
std::string print(const Signature& signature);

std::vector<Signature> operator+(std::vector<Signature> a, const std::vector<Signature>& b);

}  // namespace tessera::ops
