// Which of several devices, as text: facts in, a device out.
#include "tessera/plan/place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/plan/tests/case_file.h"

namespace tessera::plan {
namespace {

/// `device capacity=1e9`, `device failed`, `next 1`, `work holds=8e8`, `reads 4e8 host 1`: an array that the host and
/// device 1 have.
struct Facts {
  std::vector<DeviceFacts> devices;
  std::vector<OperandFacts> operands;
  size_t next = 0;
  double nbytes = 0;

  explicit Facts(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      if (what == "device") devices.push_back({.capacity = static_cast<int64_t>(1e12)});
      if (what == "reads") operands.push_back({});
      for (std::string word; words >> word;) read(what, word);
    }
  }

 private:
  void read(const std::string& what, const std::string& word) {
    const size_t equals = word.find('=');
    const double value = equals == std::string::npos ? 0 : std::atof(word.c_str() + equals + 1);
    if (word.starts_with("capacity=")) {
      devices.back().capacity = static_cast<int64_t>(value);
    } else if (word.starts_with("holds=")) {
      nbytes = value;
    } else if (word == "failed") {
      devices.back().is_usable = false;
    } else if (what == "next") {
      next = static_cast<size_t>(std::atoi(word.c_str()));
    } else if (what == "reads" && operands.back().nbytes == 0) {
      operands.back().nbytes = static_cast<int64_t>(std::atof(word.c_str()));
    } else if (what == "reads" && word != "host") {
      operands.back().devices |= uint64_t{1} << std::atoi(word.c_str());
    } else if (word != "host") {
      ADD_FAILURE() << "no fact: " << what << ' ' << word;
    }
  }
};

std::string place(const std::string& text) {
  const Facts facts(text);
  const int device = choose_equal(facts.operands, facts.devices, static_cast<int64_t>(facts.nbytes), facts.next);
  return device < 0 ? "host\n" : format("device {}\n", device);
}

class Placements : public testing::TestWithParam<PassCase> {};

TEST_P(Placements, Print) {
  const std::string printed = place(GetParam().request);
  if (std::getenv("TESSERA_UPDATE_EXPECTED")) return write_expected(GetParam(), printed);
  EXPECT_EQ(printed, GetParam().expected)
      << "src/tessera/plan/tests/place.txt: " << GetParam().name << "\nTESSERA_UPDATE_EXPECTED=1 rewrites the file";
}

INSTANTIATE_TEST_SUITE_P(All, Placements, testing::ValuesIn(read_cases("place")));

}  // namespace
}  // namespace tessera::plan
