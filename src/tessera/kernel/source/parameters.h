/// KernelParameters: what the arguments of a launch are checked against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/source/declarations.h"
#include "tessera/layout/view.h"

namespace tessera::kernel {

/// A number that is given for a parameter.
struct GivenNumber {
  Scalar value;
  bool is_weak = false;  // Python's: it becomes what the parameter is
};

class KernelParameters {
 public:
  /// From what the text declares and from the sizes that the compiled code has; either may be unknown. Where the two
  /// disagree, the code is right.
  KernelParameters(std::string kernel, std::optional<DeclaredKernel> declared,
                   std::optional<std::vector<int64_t>> sizes);

  const std::string& kernel() const { return kernel_; }
  /// Unknown for code of which only the name is known.
  bool is_known() const { return is_known_; }
  size_t size() const { return parameters_.size(); }
  int64_t nbytes(size_t k) const { return is_known_ ? parameters_[k].nbytes : 0; }
  std::optional<int64_t> most_threads() const { return most_threads_; }
  /// Whether an array given there may be written.
  bool writes(size_t k) const { return !is_known_ || !parameters_[k].type.is_const || !parameters_[k].type.is_pointer; }
  /// Whether an integer given there is an address.
  bool takes_address(size_t k) const;
  /// "float32 x", "const float* x", as messages name it.
  std::string describe(size_t k) const;
  std::string describe_all() const;

  /// These throw TypeError, ValueError or OverflowError naming kernel, parameter and argument.
  void check_count(size_t given) const;
  void check_array(size_t k, const View& view) const;
  /// Stores the number as the parameter has it, in at most 16 bytes.
  void put_number(size_t k, const GivenNumber& given, char* to) const;
  /// A structure of so many bytes.
  void check_bytes(size_t k, int64_t nbytes, std::string_view what) const;
  /// For an argument of any other kind.
  [[noreturn]] void refuse(size_t k, std::string_view what) const;

 private:
  struct Parameter {
    std::string name;
    SourceType type;
    int64_t nbytes = 0;     // 0: unknown
    bool has_type = false;  // the text says what it is
  };
  bool is_number(size_t k) const;
  std::string place(size_t k) const;
  void put_typed(size_t k, DType dtype, const GivenNumber& given, char* to) const;
  void put_untyped(size_t k, const GivenNumber& given, char* to) const;

  std::string kernel_;
  std::vector<Parameter> parameters_;
  std::optional<int64_t> most_threads_;
  bool is_known_ = false;
};

}  // namespace tessera::kernel
