#include "tessera/engine/source/compile_source.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/object_cache.h"
#include "tessera/engine/source/included_files.h"

namespace tessera::engine {

using library::CompiledSource;
using library::SourceRequest;

namespace {

constexpr int64_t cache_limit = int64_t{256} << 20;

void put(std::string& to, std::string_view text) {
  to += std::to_string(text.size());
  to += ':';
  to += text;
}

/// Texts in the order in which they were put.
class Texts {
 public:
  explicit Texts(std::string_view packed) : rest_(packed) {}
  std::optional<std::string> next() {
    size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    const auto read = static_cast<size_t>(end - rest_.data());
    if (error != std::errc() || read >= rest_.size() || rest_[read] != ':' || rest_.size() - read - 1 < size)
      return std::nullopt;
    std::string text(rest_.substr(read + 1, size));
    rest_.remove_prefix(read + 1 + size);
    return text;
  }

 private:
  std::string_view rest_;
};

std::string pack(const CompiledSource& made) {
  std::string packed;
  put(packed, made.code);
  put(packed, made.log);
  for (const std::string& name : made.lowered) put(packed, name);
  return packed;
}

std::optional<CompiledSource> unpack(std::string_view packed, size_t names) {
  Texts texts(packed);
  const std::optional<std::string> code = texts.next(), log = texts.next();
  if (!code || !log) return std::nullopt;
  CompiledSource made{.code = *code, .log = *log, .lowered = {}};
  while (made.lowered.size() < names) {
    std::optional<std::string> name = texts.next();
    if (!name) return std::nullopt;
    made.lowered.push_back(std::move(*name));
  }
  return made;
}

/// The folders that the user names, in their order.
std::vector<std::string> folders_of(const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (const std::string& option : options)
    for (std::string_view prefix : {"-I", "--include-path="})
      if (option.starts_with(prefix)) folders.push_back(option.substr(prefix.size()));
  return folders;
}

/// Empty where what is compiled depends on more than can be told.
std::optional<std::string> key_of(library::SourceCompiler& compiler, const SourceRequest& request) {
  std::vector<std::string> folders = folders_of(request.options);
  std::string included;
  const auto add_included = [&](std::string_view text) {
    const std::optional<uint64_t> hash = hash_of_included(text, folders);
    if (hash) put(included, std::to_string(*hash));
    return hash.has_value();
  };
  if (request.kind == library::CodeKind::for_cores ||
      request.kind == library::CodeKind::for_checks) {  // these headers are files that may change
    folders.insert(folders.end(), compiler.header_folders().begin(), compiler.header_folders().end());
    if (!add_included("#include <tessera_device.h>")) return std::nullopt;
  }
  for (const library::SourceText& header : request.headers)
    if (!add_included(header.text)) return std::nullopt;
  if (!add_included(request.source.text)) return std::nullopt;
  std::string key = format("CUDA C++ {} {} {}{} ", compiler.version(), static_cast<int>(request.kind),
                           request.capability, request.suffix);
  put(key, compiler.path());
  put(key, included);
  put(key, request.source.name);
  put(key, request.source.text);
  for (const library::SourceText& header : request.headers) put(key, header.name), put(key, header.text);
  for (const std::string& option : request.options) put(key, option);
  for (const std::string& expression : request.expressions) put(key, "=" + expression);
  return key;
}

}  // namespace

CompiledSource compile_source(library::SourceCompiler& compiler, const SourceRequest& request,
                              const std::string& cache_folder) {
  const std::optional<std::string> key = cache_folder.empty() ? std::nullopt : key_of(compiler, request);
  if (!key) return compiler.compile(request);
  ObjectCache cache(cache_folder, cache_limit);
  if (const std::optional<std::string> known = cache.find(*key))
    if (std::optional<CompiledSource> made = unpack(*known, request.expressions.size())) return *made;
  CompiledSource made = compiler.compile(request);
  cache.store(*key, pack(made));
  return made;
}

}  // namespace tessera::engine
