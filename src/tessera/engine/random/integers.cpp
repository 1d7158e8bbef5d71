#include <cstring>

#include "tessera/base/error.h"
#include "tessera/engine/host_access.h"
#include "tessera/engine/random/broadcast_walk.h"
#include "tessera/engine/random/random_stream.h"

namespace tessera {

uint64_t RandomStream::integer(DType dtype, uint64_t low, uint64_t range, library::Rejection rejection) {
  library::WordPieces pieces;
  std::lock_guard lock(bits_->mutex);
  return library::draw_integer(generator(), dtype, low, range, rejection, pieces);
}

Array RandomStream::integers(Engine& engine, std::span<const int64_t> shape, DType dtype, uint64_t low, uint64_t range,
                             library::Rejection rejection) {
  if (range != 0 && itemsize(dtype) >= 4) {
    const auto method =
        rejection == library::Rejection::mask ? StreamDraw::Method::masked : StreamDraw::Method::bounded;
    const StreamDraw draw{method, dtype, false, static_cast<int64_t>(low), static_cast<int64_t>(range)};
    if (auto drawn = draw_anywhere(engine, draw, shape)) return *drawn;
  }
  const HostResult result(engine, shape, dtype);
  const HostWork work(engine, result.array().size());
  std::lock_guard lock(bits_->mutex);
  library::fill_integers(generator(), dtype, low, range, rejection, result.array().size(), result.data());
  return result.array();
}

namespace {

using Wide = __int128;

/// Bounds of any dtype as integers that cannot overflow.
class Bounds {
 public:
  Bounds(Engine& engine, const Array& array)
      : unsigned_(array.dtype() == DType::uint64), read_(engine, array, unsigned_ ? DType::uint64 : DType::int64) {}
  const View& view() const { return read_.view(); }
  Wide at(int64_t offset) const {
    int64_t bits;
    std::memcpy(&bits, read_.data() + offset, sizeof bits);
    return unsigned_ ? Wide{static_cast<uint64_t>(bits)} : Wide{bits};
  }
  template <class Test>
  bool any(Test&& test) const {
    bool found = false;
    BroadcastWalk(view().shape, std::span(&view(), 1)).run([&](int64_t, std::span<const int64_t> o) {
      found |= test(at(o[0]));
    });
    return found;
  }

 private:
  bool unsigned_;
  HostRead read_;
};

void check_bounds(const Dims& shape, DType dtype, const Bounds& low, const Bounds& high, bool closed) {
  const int width = static_cast<int>(8 * itemsize(dtype));
  const bool is_signed = is_signed_integer(dtype);
  const Wide least = is_signed ? -(Wide{1} << (width - 1)) : Wide{0};
  const Wide most = is_boolean(dtype) ? Wide{1} : (Wide{1} << (is_signed ? width - 1 : width)) - 1;
  require<ValueError>(!low.any([&](Wide x) { return x < least; }), "low is out of bounds for {}", dtype);
  require<ValueError>(!high.any([&](Wide x) { return x - !closed > most; }), "high is out of bounds for {}", dtype);
  bool ordered = true;
  const View views[] = {low.view(), high.view()};
  BroadcastWalk(shape, views).run([&](int64_t, std::span<const int64_t> o) {
    ordered &= low.at(o[0]) <= high.at(o[1]) - !closed;
  });
  const bool from_zero = !low.any([](Wide x) { return x != 0; });
  require<ValueError>(ordered,
                      from_zero ? (closed ? "high < 0" : "high <= 0") : (closed ? "low > high" : "low >= high"));
}

}  // namespace

Array RandomStream::integers(Engine& engine, std::optional<Dims> size, DType dtype, const Array& low, const Array& high,
                             bool closed, library::Rejection rejection) {
  const Bounds lows(engine, low), highs(engine, high);
  const View views[] = {lows.view(), highs.view()};
  const Dims shape = draw_shape(size, views);
  check_bounds(shape, dtype, lows, highs, closed);
  const HostResult result(engine, shape, dtype);
  const int64_t item = itemsize(dtype);
  library::WordPieces pieces;
  std::lock_guard lock(bits_->mutex);
  BroadcastWalk(shape, views).run([&](int64_t i, std::span<const int64_t> offsets) {
    const Wide first = lows.at(offsets[0]);
    const Wide range = highs.at(offsets[1]) - !closed - first;
    const uint64_t value = library::draw_integer(generator(), dtype, static_cast<uint64_t>(first),
                                                 static_cast<uint64_t>(range), rejection, pieces);
    std::memcpy(result.data() + i * item, &value, static_cast<size_t>(item));
  });
  return result.array();
}

}  // namespace tessera
