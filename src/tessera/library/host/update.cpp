#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/gather.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

constexpr std::pair<std::string_view, UpdateOp> names[] = {
    {"add", UpdateOp::add},
    {"subtract", UpdateOp::subtract},
    {"multiply", UpdateOp::multiply},
    {"minimum", UpdateOp::minimum},
    {"maximum", UpdateOp::maximum},
    {"bitwise_and", UpdateOp::bitwise_and},
    {"bitwise_or", UpdateOp::bitwise_or},
    {"bitwise_xor", UpdateOp::bitwise_xor},
};

/// element[k] = op(element[k], pick[k]) for one row of a block.
using UpdateLoop = void (*)(char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks);

template <class Op, class T>
void update_all(char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks) {
  auto apply = [](char* at, const char* pick) {
    auto* element = reinterpret_cast<T*>(at);
    *element = Op::apply(*element, *reinterpret_cast<const T*>(pick));
  };
  if (block.view.size() == 1) {
    for (size_t k = 0; k < offsets.size(); ++k) apply(array + offsets[k], picks + static_cast<int64_t>(k) * block.step);
    return;
  }
  std::array<View, 2> views{block.view, block.packed};
  collapse_axes(views);
  int last = views[0].ndim() - 1;
  for (size_t k = 0; k < offsets.size(); ++k) {
    char* pick = const_cast<char*>(picks) + static_cast<int64_t>(k) * block.step;
    RowCursor<2> cursor(std::span<const View, 2>(views), {array + offsets[k], pick}, 0);
    for (int64_t rows = row_count(views[0]); rows > 0; --rows, cursor.next())
      for (int64_t i = 0; i < views[0].shape[last]; ++i)
        apply(cursor[0] + i * views[0].strides[last], cursor[1] + i * views[1].strides[last]);
  }
}

template <class Op>
UpdateLoop find_loop(DType dtype) {
  return visit_dtype(dtype, []<class T>(T) -> UpdateLoop {
    if constexpr (applies_to<Op, T>) return update_all<Op, T>;
    else return nullptr;
  });
}

UpdateLoop find_loop(UpdateOp op, DType dtype) {
  switch (op) {
    case UpdateOp::add: return find_loop<AddOp>(dtype);
    case UpdateOp::subtract: return is_boolean(dtype) ? nullptr : find_loop<SubtractOp>(dtype);
    case UpdateOp::multiply: return find_loop<MultiplyOp>(dtype);
    case UpdateOp::minimum: return find_loop<MinimumOp>(dtype);
    case UpdateOp::maximum: return find_loop<MaximumOp>(dtype);
    case UpdateOp::bitwise_and: return find_loop<BitAndOp>(dtype);
    case UpdateOp::bitwise_or: return find_loop<BitOrOp>(dtype);
    case UpdateOp::bitwise_xor: return find_loop<BitXorOp>(dtype);
  }
  return nullptr;
}

}  // namespace

std::optional<UpdateOp> update_from_name(std::string_view ufunc_name) {
  auto found = std::find_if(std::begin(names), std::end(names), [&](auto& row) { return row.first == ufunc_name; });
  if (found == std::end(names)) return {};
  return found->second;
}

void update(UpdateOp op, char* array, std::span<const int64_t> offsets, const PickBlock& block, const char* picks) {
  UpdateLoop loop = find_loop(op, block.view.dtype);
  require<TypeError>(loop != nullptr, "ufunc '{}' not supported for the input type {}",
                     names[static_cast<int>(op)].first, block.view.dtype);
  if (block.view.size() > 0) loop(array, offsets, block, picks);
}

}  // namespace tessera::library
