#include "tessera/plan/kernel_draft.h"

namespace tessera::plan {

using ir::Value;

/// One lane for each element.
void lower_map(Draft& draft, int group) {
  KernelDraft kernel(draft, draft.groups[group]);
  const int ndim = static_cast<int>(kernel.extents().size());
  ir::Builder builder(ndim, "map");
  kernel.declare(builder);
  std::vector<Value> indices;
  for (int axis = 0; axis < ndim; ++axis) indices.push_back(builder.index(axis));
  kernel.emit(builder, indices);

  KernelStep step;
  step.kernel = std::make_shared<ir::Kernel>(builder.take());
  step.kernel_hash = ir::structural_hash(*step.kernel);
  step.extents = kernel.extents();
  step.buffers = kernel.bindings();
  step.scalars = kernel.scalars();
  step.flag_nodes = kernel.flag_nodes();
  step.elementwise = true;
  step.work = 1;
  for (int64_t extent : step.extents) step.work *= extent;
  draft.plan.steps.push_back({.kernel = std::move(step)});
}

}  // namespace tessera::plan
