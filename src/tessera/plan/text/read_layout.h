/// Reads what a request's text says about elements: types, places and numbers.
#pragma once

#include <optional>

#include "tessera/ir/text_reader.h"
#include "tessera/layout/view.h"

namespace tessera::plan {

/// What the text says about elements: where it says nothing, the optionals are empty.
struct LayoutText {
  std::optional<DType> dtype;
  Dims shape;
  std::optional<int64_t> offset;
  std::optional<Dims> strides;
  std::optional<int64_t> nbytes;
  size_t position = 0;
};

/// DTYPE[EXTENT,...][@OFFSET][(STRIDE,...)] [of N bytes]
LayoutText read_layout(ir::TextReader& in);
/// [@OFFSET][(STRIDE,...)]
void read_place(ir::TextReader& in, LayoutText& layout);
/// A dtype's name, if one follows.
std::optional<DType> read_dtype(ir::TextReader& in);
/// Skips a number of any type.
void skip_number(ir::TextReader& in);
/// A number of this type.
Scalar read_scalar(ir::TextReader& in, DType dtype);
/// Throws, naming this position, unless the elements lie inside the memory: passes take that for granted.
void check_inside(ir::TextReader& in, const View& view, int64_t nbytes, size_t position);

}  // namespace tessera::plan
