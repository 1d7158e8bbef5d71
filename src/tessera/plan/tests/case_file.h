/// Case files: what a pass makes of a request, as text. `=== NAME` begins a case; its request follows, then `---`,
/// which may have options (`--- wave_bytes=65536 threads=2`), then the text that is expected.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::plan {

struct PassCase {
  std::string file;  // without .txt
  std::string name;
  std::string request;
  std::map<std::string, int64_t> options;
  std::string expected;

  /// For gtest's messages.
  friend void PrintTo(const PassCase& of, std::ostream* out) { *out << of.file << ".txt: " << of.name; }
};

/// The cases of one file in src/tessera/plan/tests.
std::vector<PassCase> read_cases(const std::string& file);
/// Replaces the expected text of the case in its file.
void write_expected(const PassCase& of, std::string_view printed);

}  // namespace tessera::plan
