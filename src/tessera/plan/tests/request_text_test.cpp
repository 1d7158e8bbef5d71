#include "tessera/plan/text/request_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "tessera/base/error.h"
#include "tessera/plan/planner.h"
#include "tessera/plan/tests/case_file.h"

namespace tessera::plan {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_request(text);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RequestText, LeavesOutWhatFollows) {
  const char* text =
      "%a0 = array float64[100,200]\n"
      "%a1 = array float64[200] dead\n"
      "%0 = add %a0, %a1 : float64[100,200] dead\n"
      "%1 = multiply %0, 0.5 : float64[100,200] events divide invalid\n"
      "%2 = write %a0, %1@1608(1600,8) : float64[98,198]@1608(1600,8) starts_iteration\n"
      "%3 = reduce add %2 along 1 : float64[100,200]\n";
  EXPECT_EQ(print(parse_request(text).request), text);
}

TEST(RequestText, SaysWhatDoesNotFollow) {
  const char* text =
      "%a0 = array complex128[10,20](16,160) foreign\n"
      "%a1 = array float32[7]\n"
      "%0 = add.dd->d float64 %a0, %a1(0,0) : float64[10,20](8,80) of 3200 bytes\n"
      "%1 = divmod#1 %0, -inf : float64[10,20](8,80) dead\n"
      "%2 = write %a1, float64 2.5 : float32[3]@4(8) pinned\n"
      "%3 = multiply %a0, (1,-2.5) : complex128[10,20](16,160)\n"
      "%4 = reduce max %1 along 0 1 : float32[10,20]\n";
  EXPECT_EQ(print(parse_request(text).request), text);
}

TEST(RequestText, KnowsWhatIsNeededAfterwards) {
  const ParsedRequest parsed = parse_request(
      "%a = array float64[10] dead\n"
      "%b = array float64[10]\n"
      "%0 = add %a, %b : float64[10] dead\n"
      "%1 = write %b, %0 : float64[10]\n"
      "%2 = write %a, 1.0 : float64[5](8)\n");
  const Request& request = parsed.request;
  EXPECT_FALSE(request.live[0]);
  EXPECT_TRUE(request.live[1]);
  EXPECT_EQ(request.dead[0], 1);
  EXPECT_TRUE(request.shared[1]);
  EXPECT_FALSE(request.shared[2]);
  EXPECT_EQ(request.dead[2], 1 << graph::max_inputs);
}

TEST(RequestText, ErrorsNameLineAndColumn) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"%a = array float65[3]", "line 1, column 12: expected a type"},
      {"%a = array float64[3\n", "line 2, column 1: expected ]"},
      {"%a = array float64[-1]", "line 1, column 20: expected a number in range"},
      {"%a = array float64[99999999,99999999]", "line 1, column 19: expected fewer elements"},
      {"%a = array float64[3]\n%a = array float64[3]", "line 2, column 2: expected a name that is not taken yet"},
      {"%a = array float64[3]\n%0 = adds %a, %a : float64[3]", "line 2, column 6: expected an operation"},
      {"%a = array float64[3]\n%0 = add %a, %b : float64[3]", "line 2, column 15: expected an array or node"},
      {"%a = array float64[3]\n%0 = add %a : float64[3]", "line 2, column 13: expected ,"},
      {"%a = array float64[3]\n%0 = add %a, %a : float64[4]", "line 2, column 10: expected strides, or a shape"},
      {"%a = array float64[3]\n%0 = negative %a@8(8) : float64[3]", "line 2, column 15: expected elements inside"},
      {"%a = array float64[3]\n%0 = negative %a(8,8) : float64[3]", "line 2, column 15: expected a stride for each"},
      {"%a = array float64[3]\n%0 = negative %a : float64[3](8,8)", "line 2, column 27: expected a stride for each"},
      {"%a = array float64[3]\n%0 = add.dd %a, %a : float64[3]", "line 2, column 10: expected one of its loops"},
      {"%a = array int8[3]\n%0 = add %a, 300 : int8[3]", "line 2, column 14: expected an integer of its type"},
      {"%a = array int8[3]\n%0 = add %a, 1.5 : int8[3]", "line 2, column 14: expected a number of its type"},
      {"%a = array float64[3]\n%0 = reduce sum %a along 0 : float64[3]", "line 2, column 13: expected a reduction"},
      {"%a = array float64[3]\n%0 = reduce add %a along 1 : float64[3]", "line 2, column 37: expected an extent"},
      {"%a = array float64[3]\n%0 = write %a, 1.0 : float64[2,2]", "line 2, column 29: expected strides"},
      {"%a = array float64[3] alive", "line 1, column 23: expected %"},
  };
  for (const auto& [text, error] : cases) EXPECT_NE(error_of(text).find(error), std::string::npos) << error_of(text);
}

/// The requests of all case files.
std::vector<std::string> requests() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/src/tessera/plan/tests"))
    if (entry.path().extension() == ".txt")
      for (const PassCase& of : read_cases(entry.path().stem())) texts.push_back(of.request);
  return texts;
}

/// Planning what nobody would record may fail, but only by an exception.
void plan_or_throw(const Request& request) {
  try {
    make_plan(request, {.wave_bytes = 60'000});
  } catch (const Error&) {
  }
}

/// Whether the text is refused with a place, or is a request that prints, parses again and can be planned.
void expect_error_or_request(const std::string& text) {
  try {
    const ParsedRequest parsed = parse_request(text);
    const std::string printed = print(parsed.request);
    EXPECT_EQ(print(parse_request(printed).request), printed) << text;
    plan_or_throw(parsed.request);
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("parse: line "), std::string::npos) << error.what() << '\n' << text;
  }
}

TEST(RequestText, DamagedTextIsRefusedOrPlanned) {
  const char* seed = std::getenv("TESSERA_SEED");
  std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 1);
  const auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  const std::string_view tokens[] = {
      "%",     "0",      "9999999999999", "-1",   "(",     ")",     "[",  "]",     ",",      "@",
      ".",     "#1",     "dead",          "bool", "array", "write", "\n", "along", "reduce", "true",
      "int8 ", "events", "of 8 bytes",    "inf"};
  for (const std::string& whole : requests()) {
    for (int k = 0; k < 30; ++k) expect_error_or_request(whole.substr(0, below(whole.size())));
    for (int k = 0; k < 60; ++k) {
      std::string text = whole;
      for (size_t changes = 1 + below(3); changes-- > 0;) {
        const size_t at = below(text.size());
        const std::string_view token = tokens[below(std::size(tokens))];
        text.replace(at, std::min(below(6), text.size() - at), below(3) ? token : std::string_view());
        if (text.empty()) text = " ";
      }
      expect_error_or_request(text);
    }
  }
}

}  // namespace
}  // namespace tessera::plan
