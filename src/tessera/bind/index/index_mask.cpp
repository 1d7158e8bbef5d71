#include "tessera/base/error.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/index_fancy.h"

namespace tessera::bind {

const Array* whole_mask(const ParsedIndex& index, const Dims& shape) {
  if (index.items.size() != 1 || index.arrays.size() != 1 || !index.arrays[0].is_mask) return nullptr;
  return !shape.empty() && index.arrays[0].array.shape() == shape ? &index.arrays[0].array : nullptr;
}

std::vector<Array> positions_of_true(const Array& mask) {
  static const ops::Routine& routine = Engine::routine("nonzero");
  std::vector<Array> found = Engine::instance().call(routine, std::span(&mask, 1), {}, current_context());
  deliver_reports();
  return found;
}

Array gather_mask(const Array& source, const Array& mask) {
  Array selected = Engine::instance().call("mask_select", {source, mask}, {}, current_context());
  deliver_reports();
  return selected;
}

void scatter_mask(const Array& destination, const Array& mask, const Operand& value) {
  if (value.is_scalar() || value.array.ndim() == 0) return assign_where(destination, value, Operand(mask));
  require<TypeError>(value.array.ndim() == 1,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                     "input has {} dimensions",
                     value.array.ndim());
  Array values = separate_value(destination, value);
  if (values.size() == 1) {
    values.view.shape = values.view.strides = {};
    return assign_where(destination, Operand(values), Operand(mask));
  }
  static const ops::Routine& routine = Engine::routine("mask_put");
  const Array operands[] = {destination, values, mask};
  Engine::instance().call(routine, operands, {}, Context{.site = call_site()}, {});
  deliver_reports();
}

}  // namespace tessera::bind
