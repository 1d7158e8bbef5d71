/// DeclaredSource: the kernels and variables that a text of CUDA C++ declares.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/source/source_type.h"
#include "tessera/kernel/source/tokens.h"

namespace tessera::kernel {

struct DeclaredParameter {
  std::string name;  // empty where it has none
  SourceType type;
};

struct DeclaredKernel {
  std::string name;
  int line = 0;
  bool is_template = false;
  std::optional<int64_t> most_threads;  // of __launch_bounds__
  std::vector<DeclaredParameter> parameters;
};

struct DeclaredVariable {
  std::string name;
  SourceType type;
  std::vector<int64_t> extents;  // -1 where it is no plain number
  bool is_constant = false;      // __constant__
};

class DeclaredSource {
 public:
  /// `defines` are macros of the command line: "T=float".
  explicit DeclaredSource(std::string_view text, std::span<const std::string> defines = {});

  /// The kernel of a name, or of an instance of a template such as "scale<float, 4>". Empty where the text shows none,
  /// or several.
  std::optional<DeclaredKernel> find(std::string_view name) const;
  bool is_template(std::string_view kernel) const;
  std::optional<DeclaredVariable> find_variable(std::string_view name) const;
  std::vector<std::string> kernel_names() const;
  std::vector<std::string> variable_names() const;

 private:
  struct Kernel {
    std::string name;
    int line = 0;
    Tokens bounds;
    std::vector<Tokens> parameters;
    std::vector<std::string> template_parameters;
    bool is_template = false;
  };
  void read(std::span<const Token> tokens);
  size_t read_kernel(std::span<const Token> tokens, size_t at, const Tokens* parameters);
  size_t read_variable(std::span<const Token> tokens, size_t at);
  void add_alias(const std::string& name, Tokens type);
  size_t read_alias(std::span<const Token> tokens, size_t at);

  std::vector<Kernel> kernels_;
  std::vector<DeclaredVariable> variables_;
  TypeNames names_;
};

}  // namespace tessera::kernel
