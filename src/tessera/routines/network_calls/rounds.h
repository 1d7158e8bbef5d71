/// What algorithms that go in rounds on a device have in common.
#pragma once

#include "tessera/routines/neighbours/rows.h"
#include "tessera/routines/select/selection.h"

namespace tessera::routines {

/// A device's rounds wait for each other: searches that take more of them than this are the host's.
inline constexpr int64_t most_rounds = 2000;

/// New memory of this many int64 of one value.
Ref<runtime::Buffer> filled(Launcher& launcher, int64_t count, int64_t value);
/// Copies int64.
void copy_words(Launcher& launcher, int64_t count, const char* from, const char* to);
/// Writes 0, 1, 2, ...
void number_words(Launcher& launcher, int64_t count, const char* to);

/// The nodes at which two vectors of int64 differ, as int64.
class Differences {
 public:
  /// Waits for their number.
  Differences(Launcher& launcher, int64_t count, const char* x, const char* y);
  int64_t count() const { return count_; }
  const char* nodes() const { return nodes_->data(); }

 private:
  Ref<runtime::Buffer> mask_, nodes_;
  int64_t count_ = 0;
};

}  // namespace tessera::routines
