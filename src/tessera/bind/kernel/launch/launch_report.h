/// LaunchReport: what the launches of a kernel tell the host, and who looks at it when.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/graph/array.h"
#include "tessera/kernel/report.h"

namespace tessera::bind {

/// One for each compiled kernel that may fail or print. Launches are looked at by the next wait for anything: a
/// launch does not wait for the kernel.
class LaunchReport {
 public:
  /// `at_once`: each launch waits.
  LaunchReport(std::vector<kernel::ReportSite> sites, bool prints, bool at_once);

  /// The arrays that the kernel takes behind its arguments.
  void append_to(std::vector<Array>& arrays) const;
  /// `self` is this one's owner.
  void note_launch(const std::shared_ptr<LaunchReport>& self);
  /// Waits for the launches, prints their lines and throws what one of them raised.
  void check();
  /// Whether that will throw; waits, too.
  bool has_failed() const;

 private:
  std::vector<kernel::ReportSite> sites_;
  Array report_;
  std::vector<Array> lines_;  // one or none
  bool at_once_;
  bool is_pending_ = false;
  std::string task_;  // of the last launch: Settings::task
};

/// A kernel that prints by itself, as CUDA C++ does, is about to be launched: what Python has printed comes first.
void begin_printing_launch();
/// It has been launched: the next wait for anything waits for it, too, and then its text is out.
void note_printing_launch();
/// Waits for all launches that nobody has looked at, prints their lines and throws the first exception.
void check_launches();

}  // namespace tessera::bind
