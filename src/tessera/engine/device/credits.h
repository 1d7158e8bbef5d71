/// Credits: what a device would have saved those who used an array, kept with its elements until it repays moving them;
/// and what arrays of one origin have earned, with which the next of them begin.
#pragma once

#include <array>
#include <cstdint>

#include "tessera/base/small_vector.h"
#include "tessera/engine/device/cost_model.h"
#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Arrays that one line of a program makes, of one size. Guarded by the engine's lock, as versions are.
class Origins {
 public:
  /// Another array of this size, made by this line: its origin's number, never 0.
  uint16_t enter(uint64_t site, int64_t nbytes);
  /// Takes back that the last one was entered.
  void leave(uint16_t origin) { origins_[origin].made -= 1; }
  void earn(uint16_t origin, double seconds);
  /// Of an array of so many bytes, made from one of that origin or that one itself.
  void note_move(uint16_t origin, bool is_first, int64_t nbytes);
  /// Seconds that a device saves the users of an array of so many bytes, and of what is made of it, over their lives.
  double expected(uint16_t origin, int64_t nbytes) const;
  /// How often an array that is moved at all is moved.
  double moves_each(uint16_t origin) const;

 private:
  struct Origin {
    uint64_t key = 0;
    int64_t nbytes = 0;
    double made = 0, earned = 0;  // arrays, seconds
    double moves = 0, arrays_moved = 0;
  };
  static constexpr size_t most_origins = 1024;
  std::array<Origin, most_origins> origins_;  // by key; number 0 is nobody's
};

/// What an operation's operands say on where it should run.
class Stakes {
 public:
  Stakes(Origins& origins, const MachineFacts& facts) : origins_(origins), facts_(facts) {}

  void add(graph::Version& version);
  /// The device on which another library sees an operand, or what that was made from; null: none does.
  runtime::Device* lender() const { return lender_; }
  int64_t only_on_host() const { return only_on_host_; }
  int64_t only_on_device() const { return only_on_device_; }
  /// Seconds that moving to the device takes, as often as such arrays have to be; what the operands earned towards it,
  /// and what arrays of their origins earn in all, this use included; seconds that bringing operands home takes, and
  /// what they have towards that.
  double moving() const { return moving_; }
  double credit() const { return credit_; }
  double expected() const { return expected_; }
  double homing() const { return only_on_device_ ? homing_ + facts_.synchronise : 0; }
  double debt() const { return debt_; }
  /// Copies what the device lacks there. May throw OutOfMemory.
  void move(runtime::Device& device);
  /// After the choice: shares what the device saves, or would have saved, among the operands by their bytes, and what
  /// came home among those that the host alone had.
  void settle(bool on_device, double saving);
  /// What results made on the host begin with, a byte, and where they come from.
  double credit_a_byte() const;
  uint16_t origin() const;
  bool was_moved() const;

 private:
  Origins& origins_;
  const MachineFacts& facts_;
  SmallVector<graph::Version*, 8> versions_;
  runtime::Device* lender_ = nullptr;
  int64_t nbytes_ = 0, only_on_host_ = 0, only_on_device_ = 0;
  double moving_ = 0, credit_ = 0, expected_ = 0, homing_ = 0, debt_ = 0;
};

/// A result made from an operand inherits its history, and a byte of it the credit of a byte of the operand's.
void inherit(graph::Version& result, const graph::Version& operand, bool on_device);

}  // namespace tessera::engine
