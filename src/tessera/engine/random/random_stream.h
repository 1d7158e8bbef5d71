/// RandomStream: a generator of random arrays; Python's Generator and RandomState draw through one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/engine/engine.h"
#include "tessera/library/random/bounded.h"
#include "tessera/library/random/distributions.h"
#include "tessera/library/random/multivariate.h"

namespace tessera {

/// A lock of other code that draws from the same bits.
class OuterLock {
 public:
  virtual ~OuterLock() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

class BitsLock {
 public:
  BitsLock() = default;
  explicit BitsLock(std::unique_ptr<OuterLock> outer) { share(std::move(outer)); }
  void lock() {
    if (!outer_) {
      mutex_.lock();
      if (!outer_) return;
      mutex_.unlock();  // share() was called while this thread waited
    }
    outer_.load()->lock();
    by_outer_ = true;
  }
  void unlock() {
    if (!std::exchange(by_outer_, false)) return mutex_.unlock();
    outer_.load()->unlock();
  }
  /// Uses the other lock from now on, which other code holds while it draws; later calls have no effect.
  void share(std::unique_ptr<OuterLock> outer) {
    if (outer_) return;
    std::lock_guard nobody_draws(mutex_);
    owner_ = std::move(outer);
    outer_ = owner_.get();
  }

 private:
  std::unique_ptr<OuterLock> owner_;
  std::atomic<OuterLock*> outer_ = nullptr;
  bool by_outer_ = false;  // which lock is held; only the holder may read it
  Mutex mutex_;
};

/// The bit generator shared by several streams; drawing holds the lock.
struct RandomBits {
  std::unique_ptr<library::BitGenerator> generator;
  BitsLock mutex{};
};

/// Numbers of a stream that a device can draw, as the routine "stream_draw" describes them.
struct StreamDraw {
  enum class Method : uint8_t { uniform, bounded, masked, normal, exponential, polar };
  Method method;
  DType dtype;
  bool is_scaled = false;
  int64_t first = 0, second = 0;
};

/// A parameter of a distribution: one number or an array of them.
using DrawParameter = std::variant<library::Value, Array>;

/// All methods may be called from any thread. Shapes and parameters are checked before anything is drawn.
class RandomStream {
 public:
  explicit RandomStream(std::shared_ptr<RandomBits> bits, bool legacy = false)
      : bits_(std::move(bits)), sampler_(*bits_->generator, legacy) {}

  RandomBits& bits() { return *bits_; }
  library::BitGenerator& generator() { return *bits_->generator; }
  bool legacy() const { return sampler_.legacy; }
  /// The cached normal of the legacy generator, with the state it belongs to.
  library::Sampler& sampler() { return sampler_; }

  /// One number of the distribution.
  double draw_real(const library::Distribution& row, std::span<const library::Value> values);
  int64_t draw_integer(const library::Distribution& row, std::span<const library::Value> values);
  /// An array of `shape`, or of the parameters' broadcast shape.
  Array draw(Engine& engine, const library::Distribution& row, std::span<const DrawParameter> parameters,
             std::optional<Dims> shape);

  /// Standard draws into existing memory (C- or F-contiguous float32 or float64).
  enum class Standard : uint8_t { uniform, normal, exponential, exponential_by_inversion };
  void fill(Engine& engine, Standard kind, const Array& out);
  Array draw_standard(Engine& engine, Standard kind, std::span<const int64_t> shape, DType dtype);
  void fill_gamma_float(Engine& engine, const DrawParameter& shape, const Array& out);
  double standard(Standard kind, DType dtype);

  /// Integers of `dtype` in [low, low + range] (as bits).
  uint64_t integer(DType dtype, uint64_t low, uint64_t range, library::Rejection rejection);
  Array integers(Engine& engine, std::span<const int64_t> shape, DType dtype, uint64_t low, uint64_t range,
                 library::Rejection rejection);
  /// Integers within arrays of bounds; throws ValueError with NumPy's message for bounds out of order or out of range.
  Array integers(Engine& engine, std::optional<Dims> shape, DType dtype, const Array& low, const Array& high,
                 bool closed, library::Rejection rejection);

  /// Shuffles in place: the elements, or whole slices along `axis`.
  void shuffle(Engine& engine, const Array& array, int axis);
  /// Shuffles every line along `axis` independently, in place.
  void permute(Engine& engine, const Array& array, int axis);
  /// Only the draws of shuffle, for sequences that are not arrays: the swap partners of n-1, n-2, ..., 1.
  std::vector<int64_t> swap_partners(int64_t n);
  Array choose_distinct(Engine& engine, int64_t population, int64_t count, bool shuffled);

  Array multinomial(Engine& engine, const Array& n, const Array& probabilities, std::optional<Dims> shape);
  Array dirichlet(Engine& engine, const Array& alpha, const Dims& shape);
  Array urn(Engine& engine, library::UrnMethod method, const Array& colors, int64_t sample, const Dims& shape);

 private:
  /// A long draw where this thread's work may run on a device: on the host or there, whichever is cheaper. Nothing for
  /// other draws.
  std::optional<Array> draw_anywhere(Engine& engine, const StreamDraw& draw, std::span<const int64_t> shape);
  template <class F>
  auto locked(F&& f) {
    std::lock_guard lock(bits_->mutex);
    return f(*bits_->generator);
  }

  std::shared_ptr<RandomBits> bits_;
  library::Sampler sampler_;
};

}  // namespace tessera
