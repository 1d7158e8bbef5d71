/// Reports: what kernels tell the host, failures of threads and printed lines, and the words in which they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera::kernel {

/// Constant text, or one word of a report.
struct ReportPart {
  std::string text;
  bool is_word = false;
  DType dtype = DType::int64;        // of the word: int64, uint64, float64 by its bits, boolean
  std::vector<std::string> texts{};  // of a word that says which of these texts it is
  bool is_none = false;              // of the text: it is None
  char bracket = 0;                  // of the text: a tuple, a list or a text of parts begins or ends
  bool is_kept = false;              // of a word: the number of a text that the host has made
  bool is_single = false;            // of complex128: it was complex64
  char is_string = 0;                // of a word: the address of a text in memory, 's' or as 'r' its repr, of bytes 'b'

  /// The words that it takes.
  size_t words() const { return !is_word ? 0 : is_complex(dtype) ? 2 : 1; }
};

/// One `raise`, `assert` or `print` in a kernel's functions; its number there is its place in the list, from 1.
struct ReportSite {
  int64_t exception = -1;  // the exception's number, -1 for a failed assertion
  std::string function, file;
  int line = 0;
  std::vector<ReportPart> parts;  // of an exception one for each argument
  bool is_one_text = false;       // of an exception: the parts make one text
  bool is_line = false;           // of `print`
};

/// Exceptions that no `raise` names, by the numbers that Python's table of exceptions gives them (_exceptions.py).
enum class ExceptionNumber : int64_t {
  index_error,
  zero_division_error,
  value_error,
  memory_error,
  type_error,
  recursion_error,
  runtime_error,
  key_error,
  host = -3,    // one that a function of the host has raised
  active = -2,  // the one that Python is handling where the function is called
};

/// The words of a kernel's report: the first failure and how many words have been printed.
struct ReportLayout {
  static constexpr int64_t site = 0;     // of the failure, 0 for none
  static constexpr int64_t block = 1;    // x, y, z
  static constexpr int64_t thread = 4;   // x, y, z
  static constexpr int64_t printed = 7;  // words, those that found no room included
  static constexpr int64_t values = 8;   // of the exception's arguments
  static constexpr int64_t size = 32;
  /// Of the lines: a site and its values for each.
  static constexpr int64_t line_words = 1 << 17;
};

}  // namespace tessera::kernel
