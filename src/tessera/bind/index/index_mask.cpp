#include "tessera/base/error.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/library/host/select.h"

namespace tessera::bind {

const Array* whole_mask(const ParsedIndex& index, const Dims& shape) {
  if (index.items.size() != 1 || index.arrays.size() != 1 || !index.arrays[0].is_mask) return nullptr;
  return !shape.empty() && index.arrays[0].array.shape() == shape ? &index.arrays[0].array : nullptr;
}

std::vector<Array> nonzero(const Array& mask) {
  Engine& engine = Engine::instance();
  if (auto found = device_nonzero(engine, mask)) return std::move(*found);
  Array flags = engine.contiguous(mask, DType::boolean);
  const char* data = synchronise(flags);
  int64_t count = library::count_nonzero(data, DType::boolean, mask.size());
  std::vector<Array> result;
  std::vector<int64_t*> out;
  for (int axis = 0; axis < mask.ndim(); ++axis) {
    result.push_back(engine.empty(Dims{count}, DType::int64));
    out.push_back(reinterpret_cast<int64_t*>(engine.write(result.back())));
  }
  library::nonzero(data, DType::boolean, mask.shape(), out);
  return result;
}

Array gather_mask(const Array& source, const Array& mask) {
  Engine& engine = Engine::instance();
  if (auto chosen = device_compress(engine, source, mask)) return *chosen;
  Array values = engine.contiguous(source);
  Array flags = engine.contiguous(mask);
  synchronise(values);
  const char* flag = synchronise(flags);
  const char* from = synchronise(values);
  int64_t n = mask.size();
  Array result = engine.empty(Dims{library::count_nonzero(flag, DType::boolean, n)}, source.dtype());
  library::compress(reinterpret_cast<const uint8_t*>(flag), n, from, itemsize(source.dtype()), engine.write(result));
  return result;
}

void scatter_mask(const Array& destination, const Array& mask, const Operand& value) {
  if (value.is_scalar() || value.array.ndim() == 0) return assign_where(destination, value, Operand(mask));
  require<TypeError>(value.array.ndim() == 1,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                     "input has {} dimensions",
                     value.array.ndim());
  Engine& engine = Engine::instance();
  bool single = value.array.size() == 1;
  const auto check_count = [&](int64_t count) {
    require<ValueError>(
        value.array.size() == count,
        "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where "
        "the mask is true",
        value.array.size(), count);
  };
  Array values = separate_value(destination, value);
  if (single) {
    values.view.shape = values.view.strides = {};
    return assign_where(destination, Operand(values), Operand(mask));
  }
  values = engine.contiguous(values);
  if (const auto count = device_expand(engine, destination, mask, values)) return check_count(*count);
  Array flags = engine.contiguous(mask);
  check_count(library::count_nonzero(synchronise(flags), DType::boolean, mask.size()));
  synchronise(values);  // nothing may run between taking the two pointers
  char* to = synchronise_to_write(destination);
  library::mask_assign(to, destination.view, synchronise(flags), flags.view, synchronise(values), false);
}

}  // namespace tessera::bind
