#include "tessera/library/clang/clang.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/library/device_library.h"

extern char** environ;

namespace tessera::library {

namespace {

/// A file in memory, for what goes into a process and comes out of it.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("tessera_source", MFD_CLOEXEC)) {
    if (file_ < 0) throw IoError(format("CUDA C++ for the cores: no file in memory: {}", std::strerror(errno)));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written < 0) throw IoError(format("CUDA C++ for the cores: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<size_t>(written));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  std::string read() {
    std::string text(static_cast<size_t>(::lseek(file_, 0, SEEK_END)), '\0');
    size_t at = 0;
    while (at < text.size()) {
      const ssize_t got = ::pread(file_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (got <= 0) break;
      at += static_cast<size_t>(got);
    }
    return text;
  }
  int number() const { return file_; }

 private:
  int file_;
};

/// Runs the command with these files in place of the standard ones; returns its exit status.
int run(const std::vector<std::string>& command, const MemoryFile& in, const MemoryFile& out,
        const MemoryFile& problems) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.number(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.number(), 1);
  posix_spawn_file_actions_adddup2(&actions, problems.number(), 2);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw LibraryMissing("clang", format("{} does not start: {}", command[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno == EINTR) continue;
    status = 0;  // another part of the program waits for all processes: what was written tells
    break;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The option as clang takes it; empty where it says nothing about code for the cores.
std::optional<std::string> clang_option(std::string_view option) {
  for (const std::string_view same : {"-I", "-D", "-U", "-W", "-w", "-isystem", "-O"})
    if (option.starts_with(same)) return std::string(option);
  if (option.starts_with("--std=") || option.starts_with("-std=")) {
    const std::string_view dialect = option.substr(option.find('=') + 1);
    // The headers need C++14; it has what C++11 and C++03 have.
    return "-std=" + std::string(dialect == "c++03" || dialect == "c++11" ? "c++14" : dialect);
  }
  if (option.starts_with("--pre-include=")) return "-include" + std::string(option.substr(option.find('=') + 1));
  if (option == "--fmad=false" || option == "-fmad=false") return "-ffp-contract=off";
  // Of machine code, of speed at the cost of bits, and of messages: code for the cores is exact, and has none.
  for (const std::string_view of_gpu : {"--maxrregcount=",
                                        "-use_fast_math",
                                        "--use_fast_math",
                                        "-lineinfo",
                                        "--generate-line-info",
                                        "-G",
                                        "--device-debug",
                                        "--ptxas-options=",
                                        "--diag-suppress=",
                                        "-diag-suppress",
                                        "--fmad=true",
                                        "-fmad=true",
                                        "-ftz=",
                                        "--ftz=",
                                        "-prec-div=",
                                        "--prec-div=",
                                        "-prec-sqrt=",
                                        "--prec-sqrt=",
                                        "-rdc=",
                                        "--relocatable-device-code=",
                                        "-default-device",
                                        "--device-as-default-execution-space",
                                        "--extra-device-vectorization",
                                        "-extra-device-vectorization",
                                        "-restrict",
                                        "--restrict",
                                        "--minimal",
                                        "-minimal",
                                        "--extended-lambda",
                                        "-extended-lambda",
                                        "--expt-extended-lambda",
                                        "--expt-relaxed-constexpr",
                                        "-expt-relaxed-constexpr",
                                        "--disable-warnings",
                                        "-Xptxas",
                                        "--display-error-number",
                                        "--no-display-error-number",
                                        "-split-compile",
                                        "--split-compile"})
    if (option.starts_with(of_gpu)) return std::string();
  return std::nullopt;
}

class Clang final : public SourceCompiler {
 public:
  explicit Clang(ClangPlace place) : place_(std::move(place)), folders_{place_.headers} {}
  const std::string& version() const override { return place_.version; }
  const std::string& path() const override { return place_.command[0]; }
  const std::vector<std::string>& header_folders() const override { return folders_; }
  const std::vector<int>& capabilities() const override { return capabilities_; }
  CompiledSource compile(const SourceRequest& request) override;

 private:
  std::vector<std::string> command_of(const SourceRequest& request) const;

  ClangPlace place_;
  std::vector<std::string> folders_;
  std::vector<int> capabilities_{70};
};

std::vector<std::string> Clang::command_of(const SourceRequest& request) const {
  std::vector<std::string> command = place_.command;
  command.insert(command.end(), {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                                 "-Wno-unknown-cuda-version", format("--cuda-gpu-arch=sm_{}", capabilities_[0]),
                                 "-nostdinc", "-nostdinc++", "-std=c++17", "-O2", "-Xclang", "-disable-llvm-passes",
                                 "-gline-tables-only", "-fno-exceptions", "-Wunused-variable", "-emit-llvm", "-c"});
  for (const std::string& option : request.options) {
    const std::optional<std::string> known = clang_option(option);
    if (!known) throw SourceFailure(format("the option {} is not one of NVRTC's", option));
    if (!known->empty()) command.push_back(*known);
  }
  // Nothing is simplified: every access is where the source has it; names and text are kept.
  if (request.kind == CodeKind::for_checks)
    command.insert(command.end(),
                   {"-O0", "-fno-discard-value-names", "-Xclang", "-gembed-source", "-Xclang", "-dwarf-version=5"});
  command.insert(command.end(), {"-isystem", place_.headers, "-include", "tessera_device.h", "-o", "-", "-"});
  return command;
}

CompiledSource Clang::compile(const SourceRequest& request) {
  std::string text = format("#line 1 \"{}\"\n", request.source.name) + request.source.text;
  for (size_t k = 0; k < request.expressions.size(); ++k) {
    std::string_view named = request.expressions[k];
    while (named.starts_with("&") || named.starts_with(" ")) named.remove_prefix(1);
    text += format(
        "\n#line 1 \"name expression {}\"\nextern \"C\" __attribute__((device, used)) const void* const "
        "tessera_expression_{} = (const void*)&{};",
        k, k, std::string(named));
  }
  MemoryFile in, out, problems;
  in.write(text + "\n");
  const int status = run(command_of(request), in, out, problems);
  CompiledSource made{.code = out.read(), .log = problems.read(), .lowered = {}};
  while (!made.log.empty() && made.log.back() == '\n') made.log.pop_back();
  if (status || made.code.empty())
    throw SourceFailure(made.log.empty() ? format("{} ends with status {}", place_.command[0], status) : made.log);
  for (size_t k = 0; k < request.expressions.size(); ++k) made.lowered.push_back(format("tessera_expression_{}", k));
  return made;
}

}  // namespace

std::unique_ptr<SourceCompiler> make_clang(ClangPlace place) { return std::make_unique<Clang>(std::move(place)); }

}  // namespace tessera::library
