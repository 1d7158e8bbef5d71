#include "tessera/plan/text/default_layout.h"

namespace tessera::plan {

std::optional<Dims> strides_over(const View& array, const Dims& shape) {
  if (array.shape.size() > shape.size()) return {};
  Dims strides(shape.size(), 0);
  const size_t lead = shape.size() - array.shape.size();
  for (size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (array.shape[axis] == shape[lead + axis])
      strides[lead + axis] = array.strides[axis];
    else if (array.shape[axis] != 1)
      return {};
  }
  return strides;
}

Dims dense_strides(const Dims& shape, DType dtype, uint64_t reduced_axes) {
  Dims kept;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!(reduced_axes >> axis & 1)) kept.push_back(shape[axis]);
  const View dense = View::contiguous(kept, dtype);
  Dims strides(shape.size(), 0);
  for (size_t axis = 0, at = 0; axis < shape.size(); ++axis)
    if (!(reduced_axes >> axis & 1)) strides[axis] = dense.strides[at++];
  return strides;
}

View made_array(const graph::Form& form, int64_t offset) {
  View made{.offset = offset, .dtype = form.dtype};
  for (size_t axis = 0; axis < form.shape.size(); ++axis) {
    if (form.kind == graph::NodeKind::reduce && (form.axes >> axis & 1)) continue;
    made.shape.push_back(form.shape[axis]);
    made.strides.push_back(form.strides[axis]);
  }
  return made;
}

const ops::Signature* first_loop(const graph::Form& form) {
  for (const ops::Signature& loop : form.op->signatures) {
    bool takes = loop.in.size() == form.input_count;
    for (size_t k = 0; takes && k < loop.in.size(); ++k)
      takes = form.inputs[k].scalar || form.inputs[k].dtype == loop.in[k];
    if (takes) return &loop;
  }
  return nullptr;
}

}  // namespace tessera::plan
