// NVRTC of the simulated device: CUDA C++ becomes a shared object of the host, by the compiler that builds tessera.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "prelude_text.h"
#include "tessera/base/format.h"
#include "tessera/kernel/source/declarations.h"

namespace {

namespace fs = std::filesystem;

struct Program {
  std::string text, name, log, code;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> expressions, symbols;
};

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What lists the kernels and the sizes of variables.
std::string trailer(const Program& program) {
  const tessera::kernel::DeclaredSource declared(program.text);
  std::string kernels;
  const auto add = [&](const std::string& symbol, const std::string& expression) {
    kernels += tessera::format(
        "  {\"{}\", tessera_simulated::Launch<&{}>::run, tessera_simulated::Launch<&{}>::sizes, "
        "tessera_simulated::Launch<&{}>::count},\n",
        symbol, expression, expression, expression);
  };
  for (size_t k = 0; k < program.expressions.size(); ++k) add(program.symbols[k], program.expressions[k]);
  if (program.text.find("extern \"C\"") != std::string::npos)
    for (const std::string& name : declared.kernel_names())
      if (!declared.is_template(name)) add(name, name);
  std::string text =
      "\nextern \"C\" const tessera_simulated::Kernel tessera_simulated_kernels[] = {\n" + kernels + "  {}};\n";
  for (const std::string& name : declared.variable_names())
    text += tessera::format("extern \"C\" const size_t tessera_size_of_{} = sizeof({});\n", name, name);
  return text;
}

int compile(Program& program, int count, const char* const* options) {
  std::string pattern = (fs::temp_directory_path() / "tessera_nvrtc_XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  for (const auto& [name, text] : program.headers) {
    const bool is_the_hosts = name.find('/') == std::string::npos && name.find("omplex") == std::string::npos;
    if (!is_the_hosts) write(folder / "include" / name, text);
  }
  write(folder / "prelude.h", prelude_text);
  const std::regex dynamic(R"(extern\s+__shared__\s+([\w ]+?)\s*(\w+)\[\];)");
  const std::string text =
      std::regex_replace(program.text, dynamic, "$1* $2 = reinterpret_cast<$1*>(tessera_simulated::dynamic);");
  write(folder / program.name, text + trailer(program));
  std::string command = "clang++-19 -x c++ -std=c++20 -shared -fPIC -O0 -w -fno-caret-diagnostics -ffp-contract=off";
  command += tessera::format(" -include {}/prelude.h -I{}/include", folder.string(), folder.string());
  if (text.find("__syncthreads") != std::string::npos) command += " -DTESSERA_HAS_BARRIERS";
  for (int k = 0; k < count; ++k) {
    const std::string option = options[k];
    if (option.starts_with("-D") || (option.starts_with("-I") && option.find("cuda") == std::string::npos))
      command += " '" + option + "'";
  }
  command += tessera::format(" '{}/{}' -o {}/out.so 2> {}/log", folder.string(), program.name, folder.string(),
                             folder.string());
  const int status = std::system(command.c_str());
  program.log = read(folder / "log");
  program.code = read(folder / "out.so");
  fs::remove_all(folder);
  return status ? 6 : 0;
}

Program& of(void* program) { return *static_cast<Program*>(program); }
int give(const std::string& text, char* to) { return std::memcpy(to, text.data(), text.size()), 0; }
int give_log(const std::string& text, char* to) { return std::memcpy(to, text.c_str(), text.size() + 1), 0; }

}  // namespace

extern "C" {
int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 2, 0; }
int nvrtcGetSupportedArchs(int* list) { return list[0] = 75, list[1] = 90, 0; }
int nvrtcCreateProgram(void** program, const char* text, const char* name, int count, const char* const* texts,
                       const char* const* names) {
  auto made = std::make_unique<Program>();
  made->text = text;
  made->name = name;
  for (int k = 0; k < count; ++k) made->headers.emplace_back(names[k], texts[k]);
  return *program = made.release(), 0;
}
int nvrtcDestroyProgram(void** program) {
  return std::unique_ptr<Program>(&of(*program)).reset(), *program = nullptr, 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  return compile(of(program), count, options);
}
int nvrtcGetPTXSize(void* program, size_t* size) { return *size = of(program).code.size(), 0; }
int nvrtcGetPTX(void* program, char* to) { return give(of(program).code, to); }
int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = of(program).code.size(), 0; }
int nvrtcGetCUBIN(void* program, char* to) { return give(of(program).code, to); }
int nvrtcGetLTOIRSize(void* program, size_t* size) { return *size = of(program).code.size(), 0; }
int nvrtcGetLTOIR(void* program, char* to) { return give(of(program).code, to); }
int nvrtcGetProgramLogSize(void* program, size_t* size) { return *size = of(program).log.size() + 1, 0; }
int nvrtcGetProgramLog(void* program, char* to) { return give_log(of(program).log, to); }
int nvrtcAddNameExpression(void* program, const char* expression) {
  of(program).symbols.push_back(tessera::format("simulated_{}", of(program).symbols.size()));
  return of(program).expressions.emplace_back(expression), 0;
}
int nvrtcGetLoweredName(void* program, const char* expression, const char** name) {
  for (size_t k = 0; k < of(program).expressions.size(); ++k)
    if (of(program).expressions[k] == expression) return *name = of(program).symbols[k].c_str(), 0;
  return 10;
}
const char* nvrtcGetErrorString(int status) { return status == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
}
