/// Fallbacks: work that runs on the host because a device or a library cannot, and what users are told of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::engine {

class Fallbacks {
 public:
  /// Counts work that fell back to the host for the reason `what`; the message is queued for the user once.
  void note(const std::string& what, const std::string& message);
  bool has_notices() const { return !notices_.empty(); }
  /// The messages not taken yet.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

 private:
  std::vector<std::string> reasons_;  // that were told
  std::vector<std::string> notices_;
};

}  // namespace tessera::engine
