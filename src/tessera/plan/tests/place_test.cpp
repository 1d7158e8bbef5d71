// Placement as text: facts in, a place and its reasons out.
#include "tessera/plan/place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/plan/tests/case_file.h"

namespace tessera::plan {
namespace {

/// `plan bytes=1e9 steps=1e9 kernels=3` or `choose host=0.1 device=0.01`: work that may run on the host, of so much
/// work or such times. `device capacity=1e9`, `facts to_device=1e9`, `next 1`, `work holds=8e8 making=0.2 regret=0.1`,
/// `reads 4e8 host 1 credit=0.1`: an array that the host and device 1 have.
struct Facts {
  MachineFacts machine{.to_device = 1e9, .to_host = 1e9, .between_devices = 1e11, .synchronise = 0, .copy_start = 0};
  std::vector<DeviceFacts> devices;
  std::vector<OperandFacts> operands;
  size_t next = 0;
  double nbytes = 0, making = 0, capacity = 1e12;
  Regret regret;
  PlanCost cost;
  std::optional<WorkFacts> work;  // nothing: the host may not be chosen

  explicit Facts(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      if (what == "device") devices.push_back({.capacity = static_cast<int64_t>(1e12)});
      if (what == "reads") operands.push_back({.is_on_host = false});
      if (what == "choose" || what == "plan") work.emplace();
      for (std::string word; words >> word;) read(what, word);
      if (what == "plan") work->host = host_seconds(cost, machine), work->device = device_seconds(cost, machine);
    }
  }

 private:
  void read(const std::string& what, const std::string& word) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos) return set(word.substr(0, equals), std::atof(word.c_str() + equals + 1));
    if (word == "host") {
      operands.back().is_on_host = true;
    } else if (word == "failed") {
      devices.back().is_usable = false;
    } else if (word == "background") {
      work->in_background = true;
    } else if (word == "shared") {
      work->is_shared = true;
    } else if (what == "next") {
      next = static_cast<size_t>(std::atoi(word.c_str()));
    } else if (what == "reads" && operands.back().nbytes == 0) {
      operands.back().nbytes = static_cast<int64_t>(std::atof(word.c_str()));
    } else if (what == "reads") {
      operands.back().devices |= uint64_t{1} << std::atoi(word.c_str());
    } else {
      ADD_FAILURE() << "no fact: " << what << ' ' << word;
    }
  }
  void set(const std::string& name, double value) {
    if (name == "capacity") devices.back().capacity = static_cast<int64_t>(value);
    if (name == "holds") nbytes = value;
    if (name == "bytes") cost.bytes = static_cast<int64_t>(value);
    if (name == "steps") cost.steps = static_cast<int64_t>(value);
    if (name == "kernels") cost.kernels = static_cast<int64_t>(value);
    if (name == "host") work->host = value;
    if (name == "device") work->device = value;
    if (name == "making") making = value;
    if (name == "regret") regret.seconds = value;
    if (name == "credit") operands.back().credit = value;
    if (name == "expected") operands.back().expected = value;
    if (name == "moves") operands.back().moves = value;
  }
};

std::string place(const std::string& text) {
  Facts facts(text);
  const int device = facts.devices.empty()
                         ? -1
                         : choose_equal(facts.operands, facts.devices, static_cast<int64_t>(facts.nbytes), facts.next);
  const std::string there = device < 0 ? "a device" : format("device {}", device);
  if (!facts.work) return device < 0 ? "host\n" : there + "\n";
  Weighed weighed = weigh(*facts.work, sum_operands(facts.operands, device, facts.machine));
  if (covers_moving(weighed.question)) weighed.question.making = facts.making;
  const Choice choice = choose_device(weighed.question, facts.regret);
  return format("{}: saving {} us; {}\n",
                choice == Choice::device ? there
                : choice == Choice::host ? "host"
                                         : "host, and " + there + " gets ready",
                static_cast<int64_t>(1e6 * weighed.question.saving), describe(weighed.question));
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
