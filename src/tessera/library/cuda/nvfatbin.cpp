// nvFatbin: NVIDIA's library that puts code for several architectures into one file.
#include "tessera/base/error.h"
#include "tessera/library/code_bundle.h"
#include "tessera/library/cuda/toolkit.h"

namespace tessera::library {

namespace {

using cuda::nvfatbin_part;

/// Member, symbol and arguments of nvFatbin's functions in use; all return a status.
#define TESSERA_NVFATBIN_FUNCTIONS(X)                                                               \
  X(create, "nvFatbinCreate", (void**, const char**, size_t))                                       \
  X(destroy, "nvFatbinDestroy", (void**))                                                           \
  X(add_ptx, "nvFatbinAddPTX", (void*, const char*, size_t, const char*, const char*, const char*)) \
  X(add_cubin, "nvFatbinAddCubin", (void*, const void*, size_t, const char*, const char*))          \
  X(size, "nvFatbinSize", (void*, size_t*))                                                         \
  X(get, "nvFatbinGet", (void*, void*))

class Bundle {
 public:
  Bundle() : found_(cuda::open_part(nvfatbin_part, nullptr, cuda::places_of_this_machine())) {
#define TESSERA_NVFATBIN_FIND(member, symbol, arguments) cuda::find_function(nvfatbin_part, found_, member, symbol);
    TESSERA_NVFATBIN_FUNCTIONS(TESSERA_NVFATBIN_FIND)
#undef TESSERA_NVFATBIN_FIND
    cuda::find_function(nvfatbin_part, found_, error_text, "nvFatbinGetErrorString");
    check(create(&handle_, nullptr, 0), "beginning a file of code");
  }
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;
  ~Bundle() {
    if (handle_) destroy(&handle_);
  }

  void add(const CodePart& part) {
    constexpr const char* name = "kernels";
    const char* architecture = part.architecture.c_str();
    const std::string what = format("adding code for {}", part.architecture);
    // PTX is given with the zero that ends it.
    const size_t nbytes = part.code.size() + (part.is_ptx && !part.code.ends_with('\0') ? 1 : 0);
    check(part.is_ptx ? add_ptx(handle_, part.code.c_str(), nbytes, architecture, name, "")
                      : add_cubin(handle_, part.code.data(), nbytes, architecture, name),
          what.c_str());
  }
  std::string take() {
    size_t nbytes = 0;
    check(size(handle_, &nbytes), "ending a file of code");
    std::string whole(nbytes, '\0');
    check(get(handle_, whole.data()), "ending a file of code");
    return whole;
  }

 private:
  void check(int status, const char* what) const {
    if (status) throw RuntimeError(format("{}: {}", what, error_text(status)));
  }

#define TESSERA_NVFATBIN_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_NVFATBIN_FUNCTIONS(TESSERA_NVFATBIN_MEMBER)
#undef TESSERA_NVFATBIN_MEMBER
  const char* (*error_text)(int) = nullptr;
  cuda::Found found_;
  void* handle_ = nullptr;
};

}  // namespace

std::string bundle_code(std::span<const CodePart> parts) {
  Bundle bundle;
  for (const CodePart& part : parts) bundle.add(part);
  return bundle.take();
}

}  // namespace tessera::library
