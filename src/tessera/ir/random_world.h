/// RandomWorld: what random kernels read and write, for tests.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "tessera/ir/arguments.h"

namespace tessera::ir {

/// The buffers of a RandomKernel.
struct RandomWorld {
  RandomWorld(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    std::mt19937_64 random(static_cast<uint64_t>(rows * 1000 + columns));
    floats.resize(static_cast<size_t>(rows * columns));
    for (double& v : floats) v = static_cast<double>(random() % 4001) / 64 - 30;
    ints.resize(11);
    for (int64_t& v : ints) v = static_cast<int64_t>(random() % 23) - 7;
    results = floats;
    numbers.assign(floats.size(), 5);
    counts.assign(9, 0);
  }

  KernelArguments arguments() {
    pointers = {reinterpret_cast<char*>(floats.data()), reinterpret_cast<char*>(ints.data()),
                reinterpret_cast<char*>(results.data()), reinterpret_cast<char*>(numbers.data()),
                reinterpret_cast<char*>(counts.data())};
    strides = {8 * columns, 8, 8, 8 * columns, 8, 8 * columns, 8, 8};
    dimensions = {rows, columns, 11, rows, columns, rows, columns, 9};
    extents = {rows, columns};
    const double x = 1.75;
    const int64_t n = 2;
    std::memcpy(scalars, &x, 8);
    std::memcpy(scalars + 16, &n, 8);
    return {pointers.data(), strides.data(), dimensions.data(), scalars, extents.data(), flags};
  }

  int64_t rows, columns;
  std::vector<double> floats, results;
  std::vector<int64_t> ints, numbers, counts;
  std::vector<char*> pointers;
  std::vector<int64_t> strides, dimensions, extents;
  alignas(16) char scalars[32] = {};
  uint32_t flags[2] = {};
};

}  // namespace tessera::ir
