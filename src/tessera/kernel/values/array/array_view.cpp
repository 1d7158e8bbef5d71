#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

Type ArrayView::type() const {
  std::vector<Type> views;
  for (const Base& base : bases) {
    TypeParts view = *base.array;
    view.is_view = true;
    view.axes = static_cast<int>(axes.size());
    view.kept = base.kept;
    views.push_back(view);
  }
  if (views.size() == 1) return views[0];
  TypeParts choice{.kind = TypeKind::choice,
                   .dtype = views[0]->dtype,
                   .unit = views[0]->unit,
                   .axes = views[0]->axes,
                   .base_axes = 1,
                   .is_view = true,
                   .elements = views};
  for (const Type& view : views) choice.base_axes += view->base_axes;
  return choice;
}

Item ArrayView::item() const {
  Item item{type(), {}};
  if (bases.size() > 1) item.values.push_back(which);
  for (const Base& base : bases) item.values.insert(item.values.end(), base.begins.begin(), base.begins.end());
  for (const Axis& axis : axes) item.values.push_back(axis.step);
  for (const Axis& axis : axes) item.values.push_back(axis.extent);
  return item;
}

}  // namespace tessera::kernel
