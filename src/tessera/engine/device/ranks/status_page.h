/// StatusPage: a file in which a rank keeps the line that it is at, for whoever finds it dead.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::engine {

class StatusPage {
 public:
  static constexpr size_t nbytes = 512;

  /// The file that TESSERA_RANK_STATUS names; without it, nothing is kept.
  StatusPage();
  void write(const std::string& text);

 private:
  char* page_ = nullptr;  // mapped until the process ends
};

}  // namespace tessera::engine
