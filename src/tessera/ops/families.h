/// The explicit list of op families; OpTable::standard calls each function once.
#pragma once

namespace tessera::ops {

class OpTable;

void add_arithmetic(OpTable& table);
void add_divmod(OpTable& table);
void add_powers(OpTable& table);
void add_extrema(OpTable& table);
void add_comparisons(OpTable& table);
void add_logic(OpTable& table);
void add_bitwise(OpTable& table);
void add_integer(OpTable& table);
void add_exponential(OpTable& table);
void add_trigonometric(OpTable& table);
void add_hyperbolic(OpTable& table);
void add_rounding(OpTable& table);
void add_floating(OpTable& table);
void add_classification(OpTable& table);
void add_complex(OpTable& table);
void add_special(OpTable& table);
void add_hidden(OpTable& table);

}  // namespace tessera::ops
