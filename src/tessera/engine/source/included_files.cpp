#include "tessera/engine/source/included_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tessera/base/hash.h"

namespace tessera::engine {

namespace fs = std::filesystem;

namespace {

class Included {
 public:
  explicit Included(std::span<const std::string> folders) : folders_(folders) {}

  /// False where a name is computed.
  bool add_all(std::string_view text, const fs::path& beside) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      if (!add_line(text.substr(at, end - at), beside)) return false;
      at = end + 1;
    }
    return true;
  }
  uint64_t hash() const { return hash_.value(); }

 private:
  bool add_line(std::string_view line, const fs::path& beside) {
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) return true;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return true;
    line.remove_prefix(7);
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return false;
    const size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
    if (end == std::string_view::npos) return true;
    const std::string name(line.substr(1, end - 1));
    if (line[0] == '"' && !beside.empty() && fs::exists(beside / name)) return add_file(beside / name);
    for (const std::string& folder : folders_) {
      std::error_code error;
      if (fs::exists(fs::path(folder) / name, error)) return add_file(fs::path(folder) / name);
    }
    return true;  // CUDA's own, or a header that comes with the source
  }
  bool add_file(const fs::path& path) {
    std::error_code error;
    const fs::path file = fs::weakly_canonical(path, error);
    if (!seen_.insert(file.string()).second) return true;
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    hash_.add(file.string()).add(text);
    return add_all(text, file.parent_path());
  }

  std::span<const std::string> folders_;
  std::set<std::string> seen_;
  Hash hash_;
};

}  // namespace

std::optional<uint64_t> hash_of_included(std::string_view text, std::span<const std::string> folders) {
  Included included(folders);
  return included.add_all(text, {}) ? std::optional(included.hash()) : std::nullopt;
}

}  // namespace tessera::engine
