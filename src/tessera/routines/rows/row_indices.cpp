#include "tessera/routines/rows/row_indices.h"

#include "tessera/base/error.h"
#include "tessera/library/host/copy.h"
#include "tessera/routines/rows/kernels.h"

namespace tessera::routines {

void number_rows(Launcher& launcher, const RowIndices& indices, const char* numbers) {
  const Ref<runtime::Buffer> wrong = launcher.allocate(1, DType::int32);
  launcher.device().stream().fill_zero(wrong->data(), 4);
  std::vector<const char*> buffers;
  for (const Elements& index : indices.arrays) buffers.push_back(index.data);
  buffers.push_back(numbers);
  buffers.push_back(wrong->data());
  std::vector<int64_t> scalars(indices.extents.begin(), indices.extents.end());
  const bool along = indices.picks_a_row > 0;
  if (along) scalars.push_back(indices.picks_a_row);
  const int axes = static_cast<int>(indices.arrays.size());
  const DType type = indices.arrays[0].dtype();
  launcher.run({.name = format("row_numbers {} {} {} {}", axes, name(type), along, static_cast<int>(indices.mode)),
                .make = [=, mode = indices.mode] { return row_numbers_kernel(axes, type, along, mode); },
                .extents = {indices.count()},
                .buffers = std::move(buffers),
                .scalars = std::move(scalars)});
  if (indices.mode != library::IndexMode::raise) return;
  int32_t is_wrong = 0;
  launcher.fetch(&is_wrong, wrong->data(), sizeof is_wrong);
  if (is_wrong) throw_index_error(launcher, indices);
}

void throw_index_error(Launcher& launcher, const RowIndices& indices) {
  for (size_t k = 0; k < indices.arrays.size(); ++k) {
    const View& view = indices.arrays[k].view;
    std::vector<char> fetched(static_cast<size_t>(view.size() * view.itemsize()));
    launcher.fetch(fetched.data(), indices.arrays[k].data, fetched.size());
    std::vector<int64_t> numbers(static_cast<size_t>(view.size()));
    library::copy_view(fetched.data(), view, reinterpret_cast<char*>(numbers.data()),
                       View::contiguous(view.shape, DType::int64));
    const library::IndexAxis axis{numbers.data(), indices.extents[k], 1, static_cast<int>(indices.axes[k])};
    library::check_indices(std::span(&axis, 1), view.size());
  }
  throw InvariantError("a device found an index out of range that the host does not find");
}

}  // namespace tessera::routines
