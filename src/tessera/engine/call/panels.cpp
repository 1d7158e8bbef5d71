#include "tessera/engine/call/panels.h"

#include <algorithm>
#include <cstring>

#include "tessera/eager/reduction_events.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/routines/parts_kernels.h"

namespace tessera::engine {

using routines::Elements;
using routines::Parts;
using tile::Range;

std::vector<Range> panels_of(const graph::Call& call, const Parts& parts) {
  if (parts.panels.operand < 0) return {};
  const View& view = call.operands[static_cast<size_t>(parts.panels.operand)].view;
  const int64_t nbytes = view.size() * view.itemsize(), extent = view.shape[static_cast<size_t>(parts.panels.axis)];
  const int64_t count = std::min(extent, (nbytes + panel_bytes() - 1) / panel_bytes());
  std::vector<Range> panels;
  if (count < 2) return panels;
  constexpr int64_t unit = 64;  // of which libraries' blocks are multiples
  int64_t each = (extent + count - 1) / count;
  if (each > unit) each = (each + unit - 1) / unit * unit;
  for (int64_t begin = 0; begin < extent; begin += each) panels.push_back({begin, std::min(extent, begin + each)});
  return panels;
}

OfPanel::OfPanel(const Parts::Panels& how, const Range& panel, const Elements& result)
    : adds_(how.make_terms()),
      panel_(panel),
      result_(result),
      is_result_(adds_ && panel.begin == 0),
      view_(result.view) {
  if (adds_) return;
  Dims shape = view_.shape;
  shape.back() = panel.size();
  view_ = View::contiguous(shape, view_.dtype);
}

routines::KernelLaunch OfPanel::join(const char* made) const {
  const DType dtype = view_.dtype;
  if (adds_) return routines::add_term(dtype, view_.size(), made, result_.data);
  const int64_t width = result_.view.shape.back(), columns = view_.shape.back();
  return routines::copy_to_columns(dtype, view_.size() / columns, columns, panel_.begin, width, made, result_.data);
}

uint32_t OfPanel::events(const char* made, uint32_t watched, const std::function<void()>& run) const {
  if (!adds_ || !watched || is_integer(view_.dtype) || is_boolean(view_.dtype)) return run(), 0;
  const auto nbytes = static_cast<size_t>(view_.size() * view_.itemsize());
  std::vector<char> before(nbytes);
  std::memcpy(before.data(), result_.data, nbytes);
  run();
  return watched & eager::contraction_events({before.data(), view_}, {const_cast<char*>(made), view_},
                                             {result_.data, result_.view});
}

}  // namespace tessera::engine
