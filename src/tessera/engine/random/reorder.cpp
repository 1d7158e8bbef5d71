#include <cstring>

#include "tessera/engine/host_access.h"
#include "tessera/engine/random/random_stream.h"
#include "tessera/library/random/shuffle.h"

namespace tessera {

namespace {

/// Offsets of all lines along axis, in C order of the other axes.
std::vector<int64_t> line_offsets(const View& view, int axis) {
  std::vector<int64_t> offsets{0};
  for (int i = 0; i < view.ndim(); ++i) {
    if (i == axis) continue;
    const auto k = static_cast<size_t>(i);
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(view.shape[k]));
    for (const int64_t offset : offsets) {
      for (int64_t j = 0; j < view.shape[k]; ++j) next.push_back(offset + j * view.strides[k]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace

void RandomStream::shuffle(Engine& engine, const Array& array, int axis) {
  const View& view = array.view;
  const auto a = static_cast<size_t>(axis);
  const int64_t count = view.shape[a], stride = view.strides[a], item = view.itemsize();
  char* data = engine.write(array);
  const HostWork work(engine, array.size());
  std::lock_guard lock(bits_->mutex);
  if (view.ndim() == 1) return library::shuffle(generator(), data, count, item, stride);
  // One order for all lines: the draws do not depend on the elements.
  std::vector<int64_t> order(static_cast<size_t>(count));
  library::shuffled_order(generator(), order);
  std::vector<char> line(static_cast<size_t>(count * item));
  for (const int64_t offset : line_offsets(view, axis)) {
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(&line[static_cast<size_t>(k * item)], data + offset + k * stride, item);
    for (int64_t k = 0; k < count; ++k) {
      std::memcpy(data + offset + k * stride, &line[static_cast<size_t>(order[static_cast<size_t>(k)] * item)], item);
    }
  }
}

void RandomStream::permute(Engine& engine, const Array& array, int axis) {
  const View& view = array.view;
  const auto a = static_cast<size_t>(axis);
  char* data = engine.write(array);
  const HostWork work(engine, array.size());
  std::lock_guard lock(bits_->mutex);
  for (const int64_t offset : line_offsets(view, axis)) {
    library::shuffle(generator(), data + offset, view.shape[a], view.itemsize(), view.strides[a], 0);
  }
}

std::vector<int64_t> RandomStream::swap_partners(int64_t n) {
  std::vector<int64_t> partners;
  std::lock_guard lock(bits_->mutex);
  for (int64_t i = n - 1; i > 0; --i) {
    partners.push_back(static_cast<int64_t>(library::draw_interval(generator(), static_cast<uint64_t>(i))));
  }
  return partners;
}

Array RandomStream::choose_distinct(Engine& engine, int64_t population, int64_t count, bool shuffled) {
  const int64_t shape[] = {count};
  const HostResult result(engine, shape, DType::int64);
  const HostWork work(engine, count);
  std::lock_guard lock(bits_->mutex);
  library::choose_distinct(generator(), population,
                           {reinterpret_cast<int64_t*>(result.data()), static_cast<size_t>(count)}, shuffled);
  return result.array();
}

}  // namespace tessera
