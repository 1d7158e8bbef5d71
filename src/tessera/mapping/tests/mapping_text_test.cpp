// What mappings make of kernels, as text. In src/tessera/mapping/tests/*.txt `=== NAME` begins a case; then a line
// `extents N...`, a line `strides N...` for each buffer, perhaps `memory N...`, `offsets N...` or `in_parts`, the
// kernel, `---` and what is expected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tessera/base/format.h"
#include "tessera/mapping/choose.h"

namespace tessera::mapping {
namespace {

struct MappingCase {
  std::string given, expected;
};

std::vector<MappingCase> read_mapping_cases(const std::string& path) {
  std::ifstream in(path);
  std::vector<MappingCase> cases;
  bool is_given = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) cases.emplace_back(), is_given = true;
    if (cases.empty()) continue;
    if (line == "---") {
      is_given = false;
    } else if (is_given || !line.empty()) {
      (is_given ? cases.back().given : cases.back().expected) += line + '\n';
    }
  }
  return cases;
}

std::string print(const BoxNumber& number) {
  constexpr const char* kinds[] = {"begin", "size", "extent", "zero"};
  return format("{} {}", kinds[static_cast<size_t>(number.kind)], number.axis);
}

std::string map_case(const std::string& given, const std::string& mapping) {
  Operands operands;
  std::istringstream in(given);
  std::string kernel;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    Dims numbers;
    for (int64_t n = 0; word != "kernel" && kernel.empty() && words >> n;) numbers.push_back(n);
    if (word == "extents") operands.extents = numbers;
    if (word == "strides") operands.strides.push_back(numbers);
    if (word == "memory") operands.memory.assign(numbers.begin(), numbers.end());
    if (word == "offsets") operands.offsets.assign(numbers.begin(), numbers.end());
    if (word == "in_parts") operands.in_parts = true;
    if (!kernel.empty() || word == "kernel") kernel += line + '\n';
  }
  const std::optional<Mapped> mapped = choose_mapping(ir::parse(kernel), operands, {});
  if (!mapped) return "none\n";
  if (!mapped->kernel.name.ends_with("_" + mapping)) return "another: " + mapped->kernel.name + "\n";
  ir::verify(mapped->kernel);
  std::string text = "blocks";
  for (int64_t n : mapped->shape.blocks) text += format(" {}", n);
  text += " threads";
  for (int64_t n : mapped->shape.threads) text += format(" {}", n);
  text += "\nparameters";
  for (const BoxNumber& number : mapped->parameters) text += "  " + print(number);
  return text + '\n' + ir::print(mapped->kernel);
}

class MappingTexts : public testing::TestWithParam<const char*> {};

TEST_P(MappingTexts, are_as_expected) {
  const std::string path = format("{}/src/tessera/mapping/tests/{}.txt", TESSERA_SOURCE_DIR, GetParam());
  const std::vector<MappingCase> cases = read_mapping_cases(path);
  ASSERT_GE(cases.size(), 2u);
  std::string updated;
  for (const MappingCase& of : cases) {
    const std::string got = map_case(of.given, GetParam());
    updated += of.given + "---\n" + got + '\n';
    if (!std::getenv("TESSERA_UPDATE_EXPECTED"))
      EXPECT_EQ(got, of.expected) << of.given << "TESSERA_UPDATE_EXPECTED=1 rewrites the file";
  }
  if (std::getenv("TESSERA_UPDATE_EXPECTED")) std::ofstream(path) << updated;
}

INSTANTIATE_TEST_SUITE_P(Mapping, MappingTexts, testing::Values("transposed", "strips", "columns", "tiles"));

}  // namespace
}  // namespace tessera::mapping
