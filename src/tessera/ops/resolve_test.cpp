#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tessera/base/error.h"
#include "tessera/ops/op.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {
namespace {

const std::vector<OperandType> operand_types = [] {
  std::vector<OperandType> types;
  for (char code : all_codes) types.push_back({*dtype_from_code(code)});
  for (DType weak : {DType::int64, DType::float64, DType::complex128}) types.push_back({weak, true});
  return types;
}();

std::string choice(const Op& op, std::vector<OperandType> in) {
  try {
    return print(resolve(op, in));
  } catch (const Error&) {
    return "-";
  }
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST(Resolve, chooses_the_loops_numpy_chooses) {
  auto root = std::filesystem::path(TESSERA_SOURCE_DIR);
  std::ifstream data(root / "tests" / "data" / "ufunc_choices.txt");
  std::vector<std::string> names;
  size_t row = 0, checked = 0;
  for (std::string line; std::getline(data, line);) {
    std::vector<std::string> words = words_of(line);
    if (line[0] != ' ') {
      names = words;
      row = 0;
      continue;
    }
    for (const std::string& name : names) {
      const Op& op = *OpTable::standard().find(name);
      for (size_t i = 0; i < words.size(); ++i, ++checked) {
        std::vector<OperandType> in{operand_types[op.nin == 1 ? i : row]};
        if (op.nin == 2) in.push_back(operand_types[i]);
        EXPECT_EQ(choice(op, in), words[i]) << name << " row " << row << " column " << i;
      }
    }
    ++row;
  }
  EXPECT_GT(checked, 5000u);
}

std::string message(const char* name, std::vector<OperandType> in, std::optional<DType> dtype = {}) {
  try {
    resolve(*OpTable::standard().find(name), in, dtype);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Resolve, refuses_in_the_words_of_numpy) {
  OperandType f8{DType::float64}, boolean{DType::boolean}, c16{DType::complex128};
  EXPECT_EQ(
      message("gcd", {f8, {DType::float64, true}}),
      "ufunc 'gcd' did not contain a loop with signature matching types (<class 'numpy.dtypes.Float64DType'>, <class "
      "'numpy.dtypes._PyFloatDType'>) -> None");
  EXPECT_EQ(
      message("positive", {boolean}),
      "ufunc 'positive' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> -> None");
  EXPECT_EQ(
      message("invert", {f8}),
      "ufunc 'invert' not supported for the input types, and the inputs could not be safely coerced to any supported "
      "types according to the casting rule ''safe''");
  EXPECT_EQ(
      message("add", {c16, f8}, DType::float64),
      "Cannot cast ufunc 'add' input 0 from dtype('complex128') to dtype('float64') with casting rule 'same_kind'");
  EXPECT_EQ(message("equal", {f8, f8}, DType::float64),
            "No loop matching the specified signature and casting was found for ufunc equal");
  EXPECT_NE(message("subtract", {boolean, boolean}).find("numpy boolean subtract"), std::string::npos);
}

TEST(Resolve, computes_in_the_dtype_asked_for) {
  const Op& add = *OpTable::standard().find("add");
  const Op& sine = *OpTable::standard().find("sin");
  EXPECT_EQ(print(resolve(add, std::vector<OperandType>{{DType::float64}, {DType::float64}}, DType::float32)), "ff->f");
  EXPECT_EQ(print(resolve(sine, std::vector<OperandType>{{DType::int64}}, DType::float32)), "f->f");
  const Op& equal = *OpTable::standard().find("equal");
  EXPECT_EQ(print(resolve(equal, std::vector<OperandType>{{DType::float64}, {DType::int8}}, DType::boolean)), "dd->?");
}

}  // namespace
}  // namespace tessera::ops
