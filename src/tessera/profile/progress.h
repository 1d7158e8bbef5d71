/// Progress: how much of the host's work under way is done, for those who show it. Nothing is counted unless asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera::profile {

/// Whether progress is counted.
bool counts_progress();
void set_counts_progress(bool counts);

/// Some work: a plan, a call or a launch. While several threads work, all that they do is one.
class UnderWay {
 public:
  /// `lanes`: what add_progress() will count in all; 0: it is not known how far the work is until it is done.
  UnderWay(const std::string& name, int64_t lanes);
  ~UnderWay() {
    if (is_counted_) [[unlikely]]
      end();
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  static void end();

  bool is_counted_;
};

void add_progress(int64_t lanes);

struct ProgressState {
  int64_t number = 0;  // another one for each period without a pause
  std::string name;    // of what began last
  int64_t done = 0, total = 0;
  double seconds = 0;  // since it began
};
/// What is under way now; null: nothing.
std::optional<ProgressState> progress();

}  // namespace tessera::profile
