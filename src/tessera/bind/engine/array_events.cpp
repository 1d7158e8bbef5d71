#include "tessera/bind/engine/array_events.h"

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

}  // namespace tessera::bind
