#include <cstring>

#include "tessera/base/error.h"
#include "tessera/engine/host_access.h"
#include "tessera/engine/random/broadcast_walk.h"
#include "tessera/engine/random/random_stream.h"

namespace tessera {

namespace {

template <class T>
std::span<T> elements(const HostResult& result) {
  return {reinterpret_cast<T*>(result.data()), static_cast<size_t>(result.array().size())};
}

template <class T>
std::span<const T> elements(const HostRead& read) {
  return {reinterpret_cast<const T*>(read.data()), static_cast<size_t>(read.array().size())};
}

}  // namespace

// n is broadcast against the rows of probabilities.
Array RandomStream::multinomial(Engine& engine, const Array& n, const Array& probabilities, std::optional<Dims> size) {
  const HostRead counts(engine, n, DType::int64);
  const HostRead rows = HostRead::contiguous(engine, probabilities, DType::float64);
  View row_starts = rows.view();
  const int64_t boxes = row_starts.shape.back();
  row_starts.shape.pop_back();
  row_starts.strides.pop_back();
  const View views[] = {counts.view(), row_starts};
  const Dims shape = draw_shape(size, views);
  Dims full = shape;
  full.push_back(boxes);
  const HostResult result(engine, full, DType::int64);
  const auto out = elements<int64_t>(result);
  std::fill(out.begin(), out.end(), 0);
  const auto width = static_cast<size_t>(boxes);
  std::lock_guard lock(bits_->mutex);
  BroadcastWalk(shape, views).run([&](int64_t i, std::span<const int64_t> offsets) {
    int64_t balls;
    std::memcpy(&balls, counts.data() + offsets[0], sizeof balls);
    library::draw_multinomial(sampler_, balls, {reinterpret_cast<const double*>(rows.data() + offsets[1]), width},
                              out.subspan(static_cast<size_t>(i) * width, width));
  });
  return result.array();
}

Array RandomStream::dirichlet(Engine& engine, const Array& alpha, const Dims& shape) {
  const HostRead read = HostRead::contiguous(engine, alpha, DType::float64);
  const HostResult result(engine, shape, DType::float64);
  std::lock_guard lock(bits_->mutex);
  library::fill_dirichlet(sampler_, elements<double>(read), elements<double>(result));
  return result.array();
}

Array RandomStream::urn(Engine& engine, library::UrnMethod method, const Array& colors, int64_t sample,
                        const Dims& shape) {
  const HostRead read = HostRead::contiguous(engine, colors, DType::int64);
  const HostResult result(engine, shape, DType::int64);
  const auto out = elements<int64_t>(result);
  std::fill(out.begin(), out.end(), 0);
  std::lock_guard lock(bits_->mutex);
  library::fill_urn(sampler_, method, elements<int64_t>(read), sample, out);
  return result.array();
}

}  // namespace tessera
