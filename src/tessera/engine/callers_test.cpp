#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <thread>

#include "tessera/engine/engine.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {
namespace {

// The engine's lock, as the GIL is in Python.
std::mutex callers;
void* let_go() {
  callers.unlock();
  return nullptr;
}
void take_back(void*) { callers.lock(); }

class Callers : public ::testing::Test {
 protected:
  Callers() { engine_.settings().set_lock_hooks(let_go, take_back); }
  ~Callers() override { engine_.settings().set_lock_hooks(nullptr, nullptr); }

  Array binary(const char* name, const Operand& a, const Operand& b) { return engine_.map(name, {a, b}); }
  static Operand number(double value) { return Operand(Scalar::of_float(DType::float64, value)); }
  static Array slice(const Array& a, int64_t start, int64_t count) {
    return a.with_view(a.view.slice(0, start, 1, count));
  }
  double at(const Array& a, int64_t k) { return reinterpret_cast<const double*>(engine_.read(a))[k]; }

  /// One caller's program, which holds the lock for one call at a time.
  double program(const Array& shared, double seed, int iterations) {
    const int64_t n = shared.size();
    Array own, average;
    const auto locked = [](auto&& call) {
      const std::lock_guard lock(callers);
      call();
    };
    locked([&] { own = binary("multiply", shared, number(seed)); });
    double total = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      locked([&] { average = binary("add", slice(own, 0, n - 2), slice(own, 2, n - 2)); });
      locked([&] { engine_.assign(slice(own, 1, n - 2), binary("multiply", average, number(0.5)), {}); });
      locked([&] { own = binary("add", own, shared); });
      if (iteration % 3 == 0) locked([&] { total += at(own, n / 2 + iteration); });
    }
    locked([&] {
      total += at(own, 1);
      own = {};
      average = {};
    });
    return total;
  }

  Array line(int64_t n) {
    const std::lock_guard lock(callers);
    const int64_t shape[] = {n};
    Array array = engine_.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(array));
    for (int64_t k = 0; k < n; ++k) data[k] = static_cast<double>(k % 97) / 8;
    return array;
  }

  Engine& engine_ = Engine::instance();
};

TEST_F(Callers, ThreadsThatShareAnEngineGetTheResultsOfOneThread) {
  for (const int64_t n : {2'000, 200'000}) {  // the larger size releases the lock while it computes
    Array shared = line(n);
    std::vector<double> expected, got(4);
    for (int k = 0; k < 4; ++k) expected.push_back(program(shared, k + 1, 12));
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back([&, k] { got[k] = program(shared, k + 1, 12); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(got, expected);
    const std::lock_guard lock(callers);
    shared = {};
  }
}

TEST_F(Callers, PendingWorkOfOneThreadIsRunByAnother) {
  Array shared = line(150'000);
  Array sum;
  for (int iteration = 0; iteration < 6; ++iteration) {
    std::thread([&] {
      const std::lock_guard lock(callers);
      sum = binary("add", sum ? sum : shared, shared);
    }).join();
    std::thread reader([&] {
      const std::lock_guard lock(callers);
      EXPECT_EQ(at(sum, 96), 12.0 * (iteration + 2));
    });
    {
      const std::lock_guard lock(callers);
      engine_.assign(slice(sum, 0, 10), number(iteration), {});
      EXPECT_EQ(at(sum, 9), iteration);
    }
    reader.join();
  }
  const std::lock_guard lock(callers);
  shared = sum = {};
}

}  // namespace
}  // namespace tessera
