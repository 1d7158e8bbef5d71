/// Shapes: how each value of a kernel varies over the lanes of one frame.
#pragma once

#include <unordered_map>
#include <vector>

#include "tessera/ir/interpreter/program.h"

namespace tessera::ir {

class Shapes {
 public:
  /// Analyses the frame whose lanes are the innermost axis of the parallel space.
  explicit Shapes(const Kernel& kernel);
  /// Analyses the frame whose lanes are the index of this reduction; values from outside it are uniform.
  Shapes(const Kernel& kernel, Value reduction);

  Shape operator[](Value v) const { return shapes_[v]; }
  Shape result(Value control, uint32_t k) const;
  /// Whether lanes may leave this control instruction at different times or on different sides.
  bool divergent(Value control) const { return divergent_[control]; }
  /// Whether an affine value has a use that needs one number per lane.
  bool needs_lanes(Value v) const { return needs_lanes_[v]; }

 private:
  void settle(RegionId region);
  void visit_region(RegionId region);
  void visit(Value v);
  Shape pure(Value v) const;
  void visit_if(Value v);
  void visit_for(Value v);
  void visit_while(Value v);
  Shape yielded(RegionId region, size_t k) const;
  void set(Value v, Shape shape);
  void widen(Value v, Shape shape);
  void set_result(Value control, size_t k, Shape shape);
  void mark_lanes(RegionId region);

  const Kernel& kernel_;
  bool outermost_;
  bool changed_ = false;
  std::vector<Shape> shapes_;
  std::vector<char> divergent_;
  std::vector<char> needs_lanes_;
  std::vector<char> seen_;  // carried values that have been given a shape
  std::unordered_map<Value, std::vector<Shape>> results_;
};

}  // namespace tessera::ir
