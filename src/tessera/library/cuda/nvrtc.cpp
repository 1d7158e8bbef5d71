// NVRTC: NVIDIA's compiler of CUDA C++.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/library/cuda/header_folders.h"
#include "tessera/library/cuda/toolkit.h"
#include "tessera/library/source_compiler.h"

namespace tessera::library {

namespace {

using cuda::Found;

/// Member, symbol and arguments of NVRTC's functions in use; all return a status.
#define TESSERA_NVRTC_FUNCTIONS(X)                                                                                 \
  X(version, "nvrtcVersion", (int*, int*))                                                                         \
  X(count_architectures, "nvrtcGetNumSupportedArchs", (int*))                                                      \
  X(list_architectures, "nvrtcGetSupportedArchs", (int*))                                                          \
  X(create, "nvrtcCreateProgram", (void**, const char*, const char*, int, const char* const*, const char* const*)) \
  X(destroy, "nvrtcDestroyProgram", (void**))                                                                      \
  X(compile, "nvrtcCompileProgram", (void*, int, const char* const*))                                              \
  X(ptx_size, "nvrtcGetPTXSize", (void*, size_t*))                                                                 \
  X(ptx, "nvrtcGetPTX", (void*, char*))                                                                            \
  X(cubin_size, "nvrtcGetCUBINSize", (void*, size_t*))                                                             \
  X(cubin, "nvrtcGetCUBIN", (void*, char*))                                                                        \
  X(linkable_size, "nvrtcGetLTOIRSize", (void*, size_t*))                                                          \
  X(linkable, "nvrtcGetLTOIR", (void*, char*))                                                                     \
  X(log_size, "nvrtcGetProgramLogSize", (void*, size_t*))                                                          \
  X(log, "nvrtcGetProgramLog", (void*, char*))                                                                     \
  X(add_expression, "nvrtcAddNameExpression", (void*, const char*))                                                \
  X(lowered_name, "nvrtcGetLoweredName", (void*, const char*, const char**))

struct Functions {
#define TESSERA_NVRTC_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_NVRTC_FUNCTIONS(TESSERA_NVRTC_MEMBER)
#undef TESSERA_NVRTC_MEMBER
  const char* (*error_text)(int) = nullptr;
};

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  return list;
}

class Nvrtc final : public SourceCompiler {
 public:
  Nvrtc(const runtime::Device* device, const cuda::Places& places)
      : found_(cuda::open_part(cuda::nvrtc_part, device, places)) {
#define TESSERA_NVRTC_FIND(member, symbol, arguments) \
  cuda::find_function(cuda::nvrtc_part, found_, call_.member, symbol);
    TESSERA_NVRTC_FUNCTIONS(TESSERA_NVRTC_FIND)
#undef TESSERA_NVRTC_FIND
    cuda::find_function(cuda::nvrtc_part, found_, call_.error_text, "nvrtcGetErrorString");
    int major = 0, minor = 0, count = 0;
    cuda::require_start(cuda::nvrtc_part, call_.version(&major, &minor));
    cuda::require_start(cuda::nvrtc_part, call_.count_architectures(&count));
    capabilities_.resize(static_cast<size_t>(count));
    cuda::require_start(cuda::nvrtc_part, call_.list_architectures(capabilities_.data()));
    version_ = format("{}.{}", major, minor);
    path_ = found_.library.file();
    folders_ = cuda::header_folders(path_, places, major);
  }
  const std::string& version() const override { return version_; }
  const std::string& path() const override { return path_; }
  const std::vector<std::string>& header_folders() const override { return folders_; }
  const std::vector<int>& capabilities() const override { return capabilities_; }
  CompiledSource compile(const SourceRequest& request) override;

 private:
  struct Handle {
    const Functions& call;
    void* program = nullptr;
    ~Handle() {
      if (program) call.destroy(&program);
    }
  };
  void check(int status, const char* what) const {
    if (status) throw SourceFailure(format("{}: {}", what, call_.error_text(status)));
  }
  template <class Size, class Get>
  std::string text_of(void* program, Size size, Get get) const {
    size_t nbytes = 0;
    check(size(program, &nbytes), "NVRTC");
    std::string text(nbytes, '\0');
    if (nbytes) check(get(program, text.data()), "NVRTC");
    return text;
  }
  std::string log_of(void* program) const {
    std::string log = text_of(program, call_.log_size, call_.log);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }
  std::vector<std::string> options_of(const SourceRequest& request) const;
  int run(const Handle& handle, const SourceRequest& request, bool is_minimal) const;
  void begin(Handle& handle, const SourceRequest& request) const;

  Found found_;
  Functions call_;
  std::string version_, path_;
  std::vector<std::string> folders_;
  std::vector<int> capabilities_;
};

std::vector<std::string> Nvrtc::options_of(const SourceRequest& request) const {
  std::vector<std::string> options;
  const bool is_real = request.kind == CodeKind::machine_code;
  options.push_back(
      format("--gpu-architecture={}_{}{}", is_real ? "sm" : "compute", request.capability, request.suffix));
  if (request.kind == CodeKind::for_linking) options.insert(options.end(), {"-dlto", "--relocatable-device-code=true"});
  options.insert(options.end(), request.options.begin(), request.options.end());
  for (const std::string& folder : folders_) options.push_back("-I" + folder);
  return options;
}

/// Whether the text includes nothing but headers that come with it, and names nothing of the runtime's or of textures.
bool is_plain(const SourceRequest& request) {
  const auto is_plain = [&](std::string_view text) {
    for (const std::string_view word : {"cuda", "texture", "surface"})
      if (text.find(word) != std::string_view::npos) return false;
    constexpr std::string_view include = "#include";
    for (size_t at = 0; (at = text.find(include, at)) != std::string_view::npos; at += include.size()) {
      const size_t open = std::min(text.find_first_not_of(" \t", at + include.size()), text.size());
      const std::string_view rest = text.substr(open);
      if (std::ranges::none_of(request.headers, [&](const SourceText& header) {
            return rest.starts_with('"' + header.name + '"') || rest.starts_with('<' + header.name + '>');
          }))
        return false;
    }
    return true;
  };
  return is_plain(request.source.text) &&
         std::ranges::all_of(request.headers, [&](const SourceText& header) { return is_plain(header.text); });
}

int Nvrtc::run(const Handle& handle, const SourceRequest& request, bool is_minimal) const {
  std::vector<std::string> options = options_of(request);
  if (is_minimal) options.push_back("--minimal");
  const std::vector<const char*> list = pointers(options);
  return call_.compile(handle.program, static_cast<int>(list.size()), list.data());
}

void Nvrtc::begin(Handle& handle, const SourceRequest& request) const {
  std::vector<const char*> texts, names;
  for (const SourceText& header : request.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  check(call_.create(&handle.program, request.source.text.c_str(), request.source.name.c_str(),
                     static_cast<int>(names.size()), texts.data(), names.data()),
        "NVRTC does not begin");
  for (const std::string& expression : request.expressions)
    check(call_.add_expression(handle.program, expression.c_str()), expression.c_str());
}

CompiledSource Nvrtc::compile(const SourceRequest& request) {
  // Without what few kernels use the compiler takes a sixth less time; what then fails is compiled with all of it.
  const bool is_minimal = is_plain(request);
  std::optional<Handle> holder(std::in_place, call_);
  begin(*holder, request);
  int status = run(*holder, request, is_minimal);
  if (status && is_minimal) {
    holder.emplace(call_);
    begin(*holder, request);
    status = run(*holder, request, false);
  }
  const Handle& handle = *holder;
  CompiledSource made;
  made.log = log_of(handle.program);
  if (status) throw SourceFailure(made.log.empty() ? std::string(call_.error_text(status)) : made.log);
  switch (request.kind) {
    case CodeKind::ptx: made.code = text_of(handle.program, call_.ptx_size, call_.ptx); break;
    case CodeKind::machine_code: made.code = text_of(handle.program, call_.cubin_size, call_.cubin); break;
    case CodeKind::for_linking: made.code = text_of(handle.program, call_.linkable_size, call_.linkable); break;
    case CodeKind::for_cores:
    case CodeKind::for_checks: invariant(false, "NVRTC does not compile for the cores");
  }
  for (const std::string& expression : request.expressions) {
    const char* lowered = nullptr;
    check(call_.lowered_name(handle.program, expression.c_str(), &lowered), expression.c_str());
    made.lowered.emplace_back(lowered);
  }
  return made;
}

}  // namespace

SourceCompiler& source_compiler(const runtime::Device* device) {
  static Mutex mutex;
  static auto& compilers = *new std::map<std::pair<runtime::Family, bool>, std::unique_ptr<Nvrtc>>;
  const runtime::Family family = device ? device->family() : runtime::Family::cuda;
  const bool is_any = !device || device->facts().driver_version >= 13000;
  {
    const std::lock_guard lock(mutex);
    if (const auto at = compilers.find({family, is_any}); at != compilers.end() && at->second) return *at->second;
  }
  const cuda::Places places = cuda::places_of_this_machine();  // before the mutex is locked
  const std::lock_guard lock(mutex);
  std::unique_ptr<Nvrtc>& compiler = compilers[{family, is_any}];
  if (!compiler) compiler = std::make_unique<Nvrtc>(device, places);
  return *compiler;
}

}  // namespace tessera::library
