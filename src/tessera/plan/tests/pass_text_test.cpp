#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "tessera/ir/kernel.h"
#include "tessera/plan/planner.h"
#include "tessera/plan/split_window.h"
#include "tessera/plan/tests/case_file.h"
#include "tessera/plan/text/draft_text.h"
#include "tessera/plan/text/request_text.h"

namespace tessera::plan {
namespace {

using Options = const std::map<std::string, int64_t>&;

/// What the cases of one file print, after the passes up to `last`.
struct PassText {
  const char* file;
  std::string_view last;
  std::string (*print)(const Draft& draft, Options options);
};

int64_t option(Options options, const char* name, int64_t otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

/// The requests of the parts into which the window of the request is split.
std::string print_parts(const Draft& draft, Options options) {
  const ParsedRequest parsed = parse_request(print(draft.request));
  graph::Window& window = *parsed.window;
  std::string text;
  int64_t at = window.begin();
  for (const int64_t end : split_window(window, parsed.request.end, option(options, "least_bytes", 0))) {
    text += "part\n" + print(make_request(window, at, end));
    at = end;
  }
  return text;
}

constexpr PassText pass_texts[] = {
    {"split_window", "find_versions", print_parts},
    {"find_versions", "find_versions", [](const Draft& draft, Options) { return print_versions(draft); }},
    {"early_nodes", "fuse_nodes", [](const Draft& draft, Options) { return print_early_nodes(draft); }},
    {"fuse_nodes", "fuse_nodes", [](const Draft& draft, Options) { return print_groups(draft); }},
    {"apart", "fuse_nodes", [](const Draft& draft, Options) { return print_apart(draft); }},
    {"assign_slots", "assign_slots", [](const Draft& draft, Options) { return print_slots(draft); }},
    {"lower_map", "lower_groups", [](const Draft& draft, Options) { return print(draft.plan); }},
    {"lower_reduction", "lower_groups", [](const Draft& draft, Options) { return print(draft.plan); }},
    {"untouched", "lower_groups", [](const Draft& draft, Options) { return print(draft.plan, Bodies::left_out); }},
    {"schedule_memory", "schedule_memory",
     [](const Draft& draft, Options options) {
       const int64_t spare = option(options, "spare_bytes", -1);
       return print_memory(spare >= 0 ? spread_memory(draft.plan, spare) : draft.plan);
     }},
    {"step_order", "schedule_memory", [](const Draft& draft, Options) { return print_order(draft.plan); }},
    {"moves", "schedule_memory", [](const Draft& draft, Options) { return print_moves(join_moves(draft.plan)); }},
    {"wave", "find_waves",
     [](const Draft& draft, Options options) {
       const int threads = static_cast<int>(option(options, "threads", 0));
       return threads ? print_shares(draft.plan, threads) : print_waves(draft.plan);
     }},
};

const PassText& text_of(const std::string& file) {
  for (const PassText& text : pass_texts)
    if (file == text.file) return text;
  throw std::runtime_error("no pass prints " + file);
}

std::string run_case(const PassCase& of) {
  const PassText& text = text_of(of.file);
  const ParsedRequest parsed = parse_request(of.request);
  Draft draft{.request = parsed.request,
              .options = {.wave_bytes = option(of.options, "wave_bytes", 0),
                          .places = static_cast<int>(option(of.options, "places", 1)),
                          .in_blocks = option(of.options, "blocks", 0) > 0},
              .notes_apart = true};
  for (const Pass& pass : passes()) {
    pass.run(draft);
    if (pass.name == text.last) break;
  }
  for (const Step& step : draft.plan.steps)
    if (step.kernel.kernel) ir::verify(*step.kernel.kernel);
  return text.print(draft, of.options);
}

std::vector<PassCase> all_cases() {
  std::vector<PassCase> cases;
  for (const PassText& text : pass_texts)
    for (PassCase& of : read_cases(text.file)) cases.push_back(std::move(of));
  return cases;
}

class PassCases : public testing::TestWithParam<PassCase> {};

TEST_P(PassCases, Print) {
  const std::string printed = run_case(GetParam());
  if (std::getenv("TESSERA_UPDATE_EXPECTED")) return write_expected(GetParam(), printed);
  EXPECT_EQ(printed, GetParam().expected) << "src/tessera/plan/tests/" << GetParam().file << ".txt: " << GetParam().name
                                          << "\nTESSERA_UPDATE_EXPECTED=1 rewrites the file";
}

TEST_P(PassCases, RequestsRoundTrip) {
  const ParsedRequest written = parse_request(GetParam().request);
  const std::string text = print(written.request);
  const ParsedRequest again = parse_request(text);
  EXPECT_EQ(print(again.request), text);
  EXPECT_EQ(again.request.key, written.request.key) << text;
}

std::string name_of(const testing::TestParamInfo<PassCase>& info) {
  std::string name = info.param.file + "_" + info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Plan, PassCases, testing::ValuesIn(all_cases()), name_of);

TEST(PassCasesFiles, EveryPassHasThreeCasesAtLeast) {
  for (const PassText& text : pass_texts) EXPECT_GE(read_cases(text.file).size(), 3u) << text.file;
  for (const Pass& pass : passes()) {
    const bool is_tested = std::any_of(std::begin(pass_texts), std::end(pass_texts),
                                       [&](const PassText& text) { return text.last == pass.name; });
    EXPECT_TRUE(is_tested) << pass.name;
  }
}

/// place.txt is read by place_test.cpp: its facts are no request.
TEST(PassCasesFiles, EveryFileIsRead) {
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/src/tessera/plan/tests"))
    if (entry.path().extension() == ".txt" && entry.path().stem() != "place")
      EXPECT_NO_THROW(text_of(entry.path().stem())) << entry.path();
}

}  // namespace
}  // namespace tessera::plan
