/// SourceCompiler: CUDA C++ becomes PTX or machine code, by NVRTC where it is found, and code for the cores, by clang.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::runtime {
class Device;
}

namespace tessera::library {

struct SourceText {
  std::string name;
  std::string text;
};

/// What a source becomes: PTX, machine code of one architecture, code that is optimised when it is linked, or LLVM's
/// bitcode, which codegen makes code for the cores of; for checks with all that the source says in its place.
enum class CodeKind : uint8_t { ptx, machine_code, for_linking, for_cores, for_checks };

struct SourceRequest {
  SourceText source;
  std::vector<SourceText> headers;       // found before the files of that name
  std::vector<std::string> options;      // NVRTC's, without the architecture and its own headers
  std::vector<std::string> expressions;  // names of instances of templates, such as "f<float>"
  CodeKind kind = CodeKind::machine_code;
  int capability = 90;
  std::string suffix{};  // of the architecture's name, such as the "a" of "sm_90a"
};

struct CompiledSource {
  std::string code;
  std::string log;                   // the compiler's warnings
  std::vector<std::string> lowered;  // the symbols of the expressions, in their order
};

/// The source does not compile; the text is the compiler's.
class SourceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SourceCompiler {
 public:
  virtual ~SourceCompiler() = default;
  /// "13.0" for NVRTC of CUDA 13.0.
  virtual const std::string& version() const = 0;
  /// The file that was opened.
  virtual const std::string& path() const = 0;
  /// CUDA's own headers.
  virtual const std::vector<std::string>& header_folders() const = 0;
  /// The architectures that it makes code for, in ascending order.
  virtual const std::vector<int>& capabilities() const = 0;
  /// Thread-safe; throws SourceFailure.
  virtual CompiledSource compile(const SourceRequest& request) = 0;
};

/// NVRTC for a device, or for none if that is null; opened once. Throws LibraryMissing.
SourceCompiler& source_compiler(const runtime::Device* device);

}  // namespace tessera::library
