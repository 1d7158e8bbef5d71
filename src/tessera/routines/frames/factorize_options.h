/// FactorizeOptions: which keys are numbered, and in which order.
#pragma once

namespace tessera::routines::frames {

struct FactorizeOptions {
  bool nullable = false;   ///< null_word, or a missing text, stands for a missing key
  bool keep_null = false;  ///< missing keys are a value of their own, the last one in order; otherwise their code is -1
  bool sorted = false;     ///< codes in the order of the values, not of first appearance
};

}  // namespace tessera::routines::frames
