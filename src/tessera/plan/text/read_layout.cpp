#include "tessera/plan/text/read_layout.h"

#include <algorithm>

namespace tessera::plan {

namespace {

constexpr int64_t most_bytes = int64_t{1} << 47;  // what a machine can address

Dims read_list(ir::TextReader& in, std::string_view open, std::string_view close, int64_t least) {
  Dims list;
  in.expect(open);
  if (in.accept(close)) return list;
  do {
    in.peek("");  // skips blanks
    const size_t at = in.position();
    list.push_back(in.literal<int64_t>("a number"));
    if (list.back() < least || list.back() > most_bytes) in.fail_at(at, "a number in range");
    in.check(list.size() <= max_ndim, "fewer axes");
  } while (in.accept(","));
  in.expect(close);
  return list;
}

}  // namespace

LayoutText read_layout(ir::TextReader& in) {
  LayoutText layout;
  layout.dtype = in.dtype();
  layout.position = in.position();
  int64_t nbytes = itemsize(*layout.dtype);
  for (const int64_t extent : read_list(in, "[", "]", 0)) {
    layout.shape.push_back(extent);
    if (__builtin_mul_overflow(nbytes, std::max<int64_t>(1, extent), &nbytes) || nbytes > most_bytes)
      in.fail_at(layout.position, "fewer elements");
  }
  read_place(in, layout);
  if (in.accept_word("of")) {
    layout.nbytes = in.number("a number of bytes", most_bytes);
    in.check(in.accept_word("bytes"), "bytes");
  }
  return layout;
}

void read_place(ir::TextReader& in, LayoutText& layout) {
  if (in.accept("@")) layout.offset = in.number("an offset", most_bytes);
  if (in.peek("(")) layout.strides = read_list(in, "(", ")", -most_bytes);
}

std::optional<DType> read_dtype(ir::TextReader& in) {
  for (const DTypeInfo& row : dtype_table)
    if (in.accept_word(row.name)) return dtype_from_name(row.name);
  return {};
}

void skip_number(ir::TextReader& in) {
  if (in.accept_word("true") || in.accept_word("false")) return;
  const bool is_complex = in.accept("(");
  in.literal<double>("an array or a number");
  if (!is_complex) return;
  in.expect(",");
  in.literal<double>("a number");
  in.expect(")");
}

Scalar read_scalar(ir::TextReader& in, DType dtype) {
  if (is_boolean(dtype)) {
    if (in.accept_word("true")) return Scalar::of_bool(true);
    in.check(in.accept_word("false"), "true or false");
    return Scalar::of_bool(false);
  }
  if (is_complex(dtype)) {
    in.expect("(");
    const auto real = in.literal<double>("a number");
    in.expect(",");
    const auto imaginary = in.literal<double>("a number");
    in.expect(")");
    return Scalar::of_complex(dtype, {real, imaginary});
  }
  if (dtype == DType::float32) return Scalar::of_float(dtype, in.literal<float>("a number"));
  if (is_floating(dtype)) return Scalar::of_float(dtype, in.literal<double>("a number"));
  if (dtype == DType::uint64) return Scalar::of_uint(dtype, in.literal<uint64_t>("an integer"));
  const size_t at = in.position();
  const auto value = in.literal<int64_t>("an integer");
  const Scalar scalar = Scalar::of_int(dtype, value);
  if (scalar.as_int() != value) in.fail_at(at, "an integer of its type");
  return scalar;
}

void check_inside(ir::TextReader& in, const View& view, int64_t nbytes, size_t position) {
  if (view.strides.size() != view.shape.size()) in.fail_at(position, "a stride for each axis");
  int64_t low = view.offset, high = view.offset;
  bool fits = true;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    int64_t span = 0;
    if (view.shape[axis] == 0) return;
    fits &= !__builtin_mul_overflow(view.shape[axis] - 1, view.strides[axis], &span);
    fits &= !__builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high);
  }
  if (!fits || low < 0 || high > nbytes - view.itemsize()) in.fail_at(position, "elements inside the array's memory");
}

}  // namespace tessera::plan
