#include "tessera/kernel/array_view.h"

namespace tessera::kernel {

Item ArrayView::item() const {
  Type type = array;
  type.is_view = true;
  type.axes = static_cast<int>(axes.size());
  type.kept.clear();
  Item item{std::move(type), begins};
  for (const Axis& axis : axes) item.type.kept.push_back(axis.of);
  for (const Axis& axis : axes) item.values.push_back(axis.step);
  for (const Axis& axis : axes) item.values.push_back(axis.extent);
  return item;
}

}  // namespace tessera::kernel
