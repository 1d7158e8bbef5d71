#include "tessera/bind/engine/array_events.h"

#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/reduction_events.h"

namespace tessera::bind {

namespace {

eager::Specials specials_of(const Array& array) {
  const Array packed = Engine::instance().contiguous(array);
  return eager::find_specials(packed.dtype(), Engine::instance().read(packed), packed.view.itemsize(), packed.size());
}

/// Whether the op `question` is true for any element.
bool any(const char* question, const Array& array) {
  Engine& engine = Engine::instance();
  static const ops::Op& either = *ops::OpTable::standard().find("logical_or");
  const Array answers = engine.map(question, {Operand(array)});
  Array flat = answers;
  flat.view = View::contiguous(Dims{answers.size()}, DType::boolean);  // new, so dense; any order is valid
  const int axes[] = {0};
  return *engine.read(engine.reduce(either, flat, {.axes = axes}, {})) != 0;
}

}  // namespace

uint32_t total_events(const Array& source, const Array& total) {
  const eager::Specials result = specials_of(total);
  if (!result.nan && !result.infinite) [[likely]]
    return 0;
  return eager::events_of(result, {any("isnan", source), any("isinf", source)});
}

uint32_t contraction_events(const Array& a, const Array& b, const Array& result) {
  const char* data = eager::readable(result);
  if (!data || is_integer(result.dtype()) || !result.view.is_c_contiguous()) return 0;
  if (eager::all_finite(result.dtype(), data + result.view.offset, result.size())) [[likely]]
    return 0;
  const eager::Specials x = specials_of(a), y = specials_of(b);
  return eager::events_of(specials_of(result), {x.nan || y.nan, x.infinite || y.infinite});
}

}  // namespace tessera::bind
