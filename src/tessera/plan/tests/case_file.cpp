#include "tessera/plan/tests/case_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tessera::plan {

namespace {

std::string path_of(const std::string& file) {
  return std::string(TESSERA_SOURCE_DIR "/src/tessera/plan/tests/") + file + ".txt";
}

std::vector<std::string> read_lines(const std::string& file) {
  std::ifstream in(path_of(file));
  if (!in) throw std::runtime_error("there is no " + path_of(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_heading(const std::string& line) { return line.starts_with("=== "); }

/// "--- a=1 b=2"
std::map<std::string, int64_t> options_of(const std::string& line) {
  std::map<std::string, int64_t> options;
  std::istringstream in(line.substr(3));
  for (std::string option; in >> option;) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) throw std::runtime_error("no option: " + line);
    options[option.substr(0, equals)] = std::stoll(option.substr(equals + 1));
  }
  return options;
}

/// Appends a line; blank lines between cases belong to neither.
void append(std::string& text, const std::string& line) {
  if (!line.empty()) text += line + '\n';
}

}  // namespace

std::vector<PassCase> read_cases(const std::string& file) {
  std::vector<PassCase> cases;
  bool in_request = false;
  for (const std::string& line : read_lines(file)) {
    if (is_heading(line)) {
      cases.push_back({.file = file, .name = line.substr(4)});
      in_request = true;
    } else if (cases.empty()) {
      continue;  // what the file says of itself
    } else if (line.starts_with("---")) {
      cases.back().options = options_of(line);
      in_request = false;
    } else {
      append(in_request ? cases.back().request : cases.back().expected, line);
    }
  }
  return cases;
}

void write_expected(const PassCase& of, std::string_view printed) {
  const std::vector<std::string> lines = read_lines(of.file);
  std::ofstream out(path_of(of.file));
  bool here = false, replaced = false;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (is_heading(lines[k])) {
      if (replaced && here) out << '\n';
      here = lines[k].substr(4) == of.name;
      replaced = false;
    }
    if (!(here && replaced)) out << lines[k] << '\n';
    if (here && lines[k].starts_with("---")) {
      out << printed;
      replaced = true;
    }
  }
}

}  // namespace tessera::plan
