#include "tessera/base/error.h"
#include "tessera/bind/index/index.h"

namespace tessera::bind {

namespace {

void append_slice(View& out, PyObject* slice, int64_t extent, int64_t stride) {
  Py_ssize_t start, stop, step;
  checked(PySlice_Unpack(slice, &start, &stop, &step));
  Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
  out.shape.push_back(count);
  out.strides.push_back(stride * step);
  if (count > 0) out.offset += start * stride;
}

}  // namespace

View apply_basic(const ParsedIndex& index, const View& view) {
  View out;
  out.dtype = view.dtype;
  out.offset = view.offset;
  int axis = 0;
  auto take = [&](int count) {
    for (; count > 0; --count, ++axis) {
      out.shape.push_back(view.shape[axis]);
      out.strides.push_back(view.strides[axis]);
    }
  };
  for (const IndexItem& item : index.items) {
    switch (item.kind) {
      case IndexItem::integer:
        out.offset += wrap_index(item.value, axis, view.shape[axis]) * view.strides[axis];
        ++axis;
        break;
      case IndexItem::slice:
        append_slice(out, item.object, view.shape[axis], view.strides[axis]);
        ++axis;
        break;
      case IndexItem::ellipsis: take(view.ndim() - index.consumed); break;
      case IndexItem::new_axis:
        out.shape.push_back(1);
        out.strides.push_back(0);
        break;
      case IndexItem::fancy: invariant(false, "a fancy index reached the basic path"); break;
    }
  }
  take(view.ndim() - axis);
  require<IndexError>(out.ndim() <= max_ndim,
                      "number of dimensions must be within [0, {}], indexing result would have {}", max_ndim,
                      out.ndim());
  return out;
}

}  // namespace tessera::bind
