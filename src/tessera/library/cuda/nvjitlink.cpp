// nvJitLink: NVIDIA's linker of code for devices.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/library/code_linker.h"
#include "tessera/library/cuda/toolkit.h"

namespace tessera::library {

namespace {

using cuda::nvjitlink_part;

/// Member, symbol and arguments of nvJitLink's functions in use; all return a status.
#define TESSERA_NVJITLINK_FUNCTIONS(X)                                       \
  X(create, "nvJitLinkCreate", (void**, uint32_t, const char**))             \
  X(destroy, "nvJitLinkDestroy", (void**))                                   \
  X(add, "nvJitLinkAddData", (void*, int, const void*, size_t, const char*)) \
  X(complete, "nvJitLinkComplete", (void*))                                  \
  X(size, "nvJitLinkGetLinkedCubinSize", (void*, size_t*))                   \
  X(get, "nvJitLinkGetLinkedCubin", (void*, void*))                          \
  X(log_size, "nvJitLinkGetErrorLogSize", (void*, size_t*))                  \
  X(log, "nvJitLinkGetErrorLog", (void*, char*))

/// nvJitLink's number of each LinkKind.
constexpr std::array input_types{1, 2, 3, 4, 5, 6};

class Linker {
 public:
  Linker(std::vector<const char*> options, const runtime::Device* device)
      : found_(cuda::open_part(nvjitlink_part, device, cuda::places_of_this_machine())) {
#define TESSERA_NVJITLINK_FIND(member, symbol, arguments) cuda::find_function(nvjitlink_part, found_, member, symbol);
    TESSERA_NVJITLINK_FUNCTIONS(TESSERA_NVJITLINK_FIND)
#undef TESSERA_NVJITLINK_FIND
    check(create(&handle_, static_cast<uint32_t>(options.size()), options.data()), "the linker does not begin");
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;
  ~Linker() {
    if (handle_) destroy(&handle_);
  }

  void add_part(const LinkPart& part) {
    const int type = input_types.at(static_cast<size_t>(part.kind));
    // PTX is given with the zero that ends it.
    const size_t nbytes = part.code.size() + (part.kind == LinkKind::ptx && !part.code.ends_with('\0') ? 1 : 0);
    check(add(handle_, type, part.code.c_str(), nbytes, part.name.c_str()), part.name.c_str());
  }
  std::string take() {
    check(complete(handle_), "linking");
    size_t nbytes = 0;
    check(size(handle_, &nbytes), "linking");
    std::string code(nbytes, '\0');
    check(get(handle_, code.data()), "linking");
    return code;
  }

 private:
  void check(int status, const char* what) {
    if (status) throw LinkFailure(format("{}: {}", what, words_of(status)));
  }
  std::string words_of(int status) {
    size_t nbytes = 0;
    std::string text;
    if (handle_ && !log_size(handle_, &nbytes) && nbytes > 1) {
      text.resize(nbytes);
      log(handle_, text.data());
      while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    }
    return text.empty() ? format("nvJitLink's status {}", status) : text;
  }

#define TESSERA_NVJITLINK_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_NVJITLINK_FUNCTIONS(TESSERA_NVJITLINK_MEMBER)
#undef TESSERA_NVJITLINK_MEMBER
  cuda::Found found_;
  void* handle_ = nullptr;
};

}  // namespace

LinkKind link_kind(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"cubin", "ptx", "ltoir", "fatbin", "object", "archive"};
  const auto found = std::ranges::find(names, name);
  require<ValueError>(found != names.end(), "there is no code to link of the kind {}", name);
  return static_cast<LinkKind>(found - names.begin());
}

std::string link_code(std::span<const LinkPart> parts, const LinkOptions& options) {
  std::vector<std::string> given{format("-arch=sm_{}", options.capability)};
  if (options.optimization >= 0) given.push_back(format("-O{}", std::min(options.optimization, 3)));
  if (options.max_registers > 0) given.push_back(format("-maxrregcount={}", options.max_registers));
  if (options.has_debug_info) given.emplace_back("-g");
  if (options.has_line_info) given.emplace_back("-lineinfo");
  const auto is_for_linking = [](const LinkPart& part) { return part.kind == LinkKind::for_linking; };
  if (std::ranges::any_of(parts, is_for_linking)) given.emplace_back("-lto");
  std::vector<const char*> pointers;
  for (const std::string& one : given) pointers.push_back(one.c_str());
  Linker linker(std::move(pointers), options.device);
  for (const LinkPart& part : parts) linker.add_part(part);
  return linker.take();
}

}  // namespace tessera::library
