// The 5-point heat stencil from C++: the engine records, fuses and compiles as it does for the Python front ends.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tessera/engine/engine.h"

namespace {

using tessera::Array;
using tessera::DType;
using tessera::Engine;
using tessera::Operand;
using tessera::Scalar;

/// Records op(a, b).
Array binary(const char* name, const Operand& a, const Operand& b) { return Engine::instance().map(name, {a, b}); }

/// The n x n inner points of an (n+2) x (n+2) grid, shifted by (rows, columns).
Array inner(const Array& grid, int64_t n, int64_t rows, int64_t columns) {
  return grid.with_view(grid.view.slice(0, 1 + rows, 1, n).slice(1, 1 + columns, 1, n));
}

std::vector<double> by_hand(int64_t n, int steps) {
  const int64_t width = n + 2;
  std::vector<double> old(static_cast<size_t>(width * width), 0.0);
  for (int64_t j = 0; j < width; ++j) old[static_cast<size_t>(j)] = 40.0;
  std::vector<double> next = old;
  for (int step = 0; step < steps; ++step) {
    for (int64_t i = 1; i <= n; ++i) {
      for (int64_t j = 1; j <= n; ++j) {
        auto at = [&](int64_t r, int64_t c) { return old[static_cast<size_t>(r * width + c)]; };
        next[static_cast<size_t>(i * width + j)] =
            0.2 * ((((at(i, j) + at(i - 1, j)) + at(i, j + 1)) + at(i, j - 1)) + at(i + 1, j));
      }
    }
    old.swap(next);
  }
  return old;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 200;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  Engine& engine = Engine::instance();

  const int64_t shape[] = {n + 2, n + 2};
  const Array grid = engine.full(shape, Scalar::of_float(DType::float64, 0.0));
  engine.assign(grid.with_view(grid.view.select(0, 0)), Operand(Scalar::of_float(DType::float64, 40.0)), {});
  for (int step = 0; step < steps; ++step) {
    Array sum = binary("add", inner(grid, n, 0, 0), inner(grid, n, -1, 0));
    sum = binary("add", sum, inner(grid, n, 0, 1));
    sum = binary("add", sum, inner(grid, n, 0, -1));
    sum = binary("add", sum, inner(grid, n, 1, 0));
    engine.assign(inner(grid, n, 0, 0), binary("multiply", Operand(Scalar::of_float(DType::float64, 0.2)), sum), {});
  }

  const auto* result = reinterpret_cast<const double*>(engine.read(grid));
  const std::vector<double> expected = by_hand(n, steps);
  double total = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    total += result[i];
    if (result[i] != expected[i]) {
      std::printf("element %zu is %.17g, by hand %.17g\n", i, result[i], expected[i]);
      return 1;
    }
  }
  std::printf("%lld x %lld, %d steps: total heat %.6f, every bit as by hand\n", static_cast<long long>(n),
              static_cast<long long>(n), steps, total);
}
