#include "tessera/base/small_vector.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

using Vector = SmallVector<int64_t, 4>;

/// (1, 2) built in every way that may leave stale data in unused elements.
std::vector<Vector> make_pairs() {
  std::vector<Vector> pairs;
  const auto change = [&](Vector vector, auto&& body) {
    body(vector);
    pairs.push_back(vector);
    pairs.push_back(std::move(vector));
  };
  change({1, 2}, [](Vector&) {});
  change({}, [](Vector& v) { v = Vector{1, 2}; });
  change({1, 2, 3, 4}, [](Vector& v) { v.resize(2); });
  change({1, 2, 3, 4}, [](Vector& v) { v.resize_for_overwrite(2); });
  change({1, 2, 3}, [](Vector& v) { v.pop_back(); });
  change({7, 1, 2}, [](Vector& v) { v.erase(0); });
  change({2}, [](Vector& v) { v.insert(0, 1); });
  change({5, 6, 7}, [](Vector& v) { v.clear(), v.push_back(1), v.push_back(2); });
  change({1, 2, 3, 4, 5}, [](Vector& v) { v.resize(2); });
  change({1, 2, 3, 4, 5}, [](Vector& v) { v = Vector{1, 2}; });
  change({1, 2, 3, 4}, [](Vector& v) {
    Vector longer{1, 2, 3, 4, 5};
    longer.resize(2);
    v = longer;
  });
  change({9, 9, 9}, [](Vector& v) {
    Vector taken = std::move(v);
    v.push_back(1), v.push_back(2);
  });
  change({9, 9, 9, 9, 9}, [](Vector& v) {
    Vector taken = std::move(v);
    v.push_back(1), v.push_back(2);
  });
  return pairs;
}

TEST(SmallVector, vectors_of_the_same_elements_are_equal_whatever_they_held_before) {
  const std::vector<Vector> pairs = make_pairs();
  for (const Vector& a : pairs) {
    for (const Vector& b : pairs) EXPECT_EQ(a, b);
  }
}

TEST(SmallVector, vectors_of_other_elements_differ) {
  for (const Vector& pair : make_pairs()) {
    for (const Vector& other :
         {Vector{}, Vector{1}, Vector{1, 3}, Vector{2, 2}, Vector{1, 2, 0}, Vector{1, 2, 0, 0, 0}})
      EXPECT_NE(pair, other);
  }
}

}  // namespace
}  // namespace tessera
