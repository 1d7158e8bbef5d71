/// Facts: limits below which integers never are, and which numbers are not zero, from how they are computed and from
/// the conditions around them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tessera/ir/builder.h"

namespace tessera::kernel {

class Facts {
 public:
  explicit Facts(const ir::Builder& builder) : b_(&builder) {}

  /// A limit below which the value never is, if one is known.
  std::optional<int64_t> lower_bound(ir::Value value) { return bound(value, 0); }
  bool is_non_negative(ir::Value value) { return lower_bound(value).value_or(-1) >= 0; }
  /// Whether an integer or a real float is surely not zero; it may be NaN.
  bool is_never_zero(ir::Value value);
  /// What is known from elsewhere, such as of a loop's counter.
  void set_lower_bound(ir::Value value, int64_t limit);

  /// What follows where the condition has been found to hold, or not to; until forget() of what this returns.
  size_t assume(ir::Value condition, bool holds);
  void forget(size_t mark) { assumed_.resize(mark); }
  size_t assumed() const { return assumed_.size(); }
  /// The same for a comparison of integers that no instruction makes.
  size_t assume_less(ir::Value smaller, ir::Value larger);
  /// By how much an integer may lie outside of 0 to `length` - 1: -1, 0 or 1, if it is within one step of a value for
  /// which assume_less(value, length) holds and that is not negative.
  std::optional<int> steps_outside(ir::Value value, ir::Value length);

  /// Takes it that a value carried by a loop is not negative, until the end of its body shows whether that holds.
  void expect_non_negative(ir::Value value);
  /// No longer. Whether anything was concluded from it.
  bool refute(ir::Value value);
  /// Whether the value that the loop's next iteration begins with keeps what is expected; does not count as a use where
  /// it does not.
  bool keeps_expectation(ir::Value next);

 private:
  /// What is known of a float that is not NaN; `positive` implies the others.
  struct Sign {
    bool not_negative = false;
    bool not_zero = false;
    bool is_positive() const { return not_negative && not_zero; }
  };
  struct Limit {
    ir::Value value;
    int64_t limit;
    Sign sign = {};  // of a float
    ir::Value below = ir::no_value;
  };
  Sign sign_of(ir::Value value, int depth);
  Sign computed_sign(ir::Value value, int depth);
  void assume_sign(ir::Value value, Sign sign) { assumed_.push_back({value, 0, sign}); }
  void assume_float_comparison(ir::Opcode op, ir::Value x, ir::Value y, bool holds);
  std::optional<int64_t> bound(ir::Value value, int depth);
  std::optional<int64_t> computed_bound(ir::Value value, int depth);
  void assume_order(ir::Value smaller, ir::Value larger, int64_t by);
  void assume_comparison(ir::Opcode op, ir::Value x, ir::Value y, bool holds);

  const ir::Builder* b_;
  std::unordered_map<ir::Value, int64_t> known_;
  std::vector<Limit> assumed_;
  std::unordered_map<ir::Value, bool> expected_;  // and whether anything was concluded from it
};

}  // namespace tessera::kernel
