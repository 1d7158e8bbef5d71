/// The grid, the block and sizes of a launch, from Python's numbers and tuples.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <string>

namespace tessera::bind {

/// What messages call the kernel; found only where there is one.
class LaunchName {
 public:
  explicit LaunchName(const std::string& text) : text_(&text) {}
  /// Of an object with a `__name__`.
  explicit LaunchName(nanobind::handle kernel) : kernel_(kernel) {}
  std::string get() const;

 private:
  const std::string* text_ = nullptr;
  nanobind::handle kernel_;
};

/// `given` is what `axis` is a part of.
int64_t extent_of(const LaunchName& kernel, nanobind::handle given, nanobind::handle axis, const char* what);
/// An integer, or a tuple of one to three.
std::array<int64_t, 3> extents_of(const LaunchName& kernel, nanobind::handle given, const char* what);
bool is_zero_or_none(nanobind::handle object);

}  // namespace tessera::bind
