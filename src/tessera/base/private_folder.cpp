#include "tessera/base/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <memory>

#include "tessera/base/faults.h"
#include "tessera/base/format.h"
#include "tessera/base/notices.h"

namespace tessera {

namespace {

constexpr mode_t file_mode = S_IRUSR | S_IWUSR;
constexpr int64_t nanoseconds = 1'000'000'000;

/// Correcting the mode does not undo what other users may have written before, so the advice starts with removing it.
std::string explain(const std::string& path, const std::string& distrust) {
  return format(
      "{}, so others could put code of theirs where compiled kernels are kept, in {}. It is not used, and kernels are "
      "compiled anew. "
      "Remove {} and take from others the right to write, or name a folder of your own in TESSERA_CACHE (empty: none "
      "are kept)",
      distrust, path, path);
}

void refuse(const std::string& path, const std::string& distrust) {
  note_once("private folder " + path, explain(path, distrust));
}

/// The whole content of an opened file; empty when it cannot be read.
std::optional<std::string> read_all(const Descriptor& file, size_t size) {
  std::string content(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(file.number(), content.data() + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {};
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  content.resize(done);
  return content;
}

bool write_all(const Descriptor& file, const std::string& content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(file.number(), content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::optional<PrivateFolder> PrivateFolder::open(const std::string& path, Missing missing) {
  TrustedPath found = open_trusted(path, Wanted::private_folder, missing);
  if (!found.distrust.empty()) refuse(path, found.distrust);
  if (!found) return {};
  return PrivateFolder(path, std::move(found.place));
}

std::string PrivateFolder::problem(const std::string& path) {
  const TrustedPath found = open_trusted(path, Wanted::private_folder);
  return found.distrust.empty() ? "" : explain(path, found.distrust);
}

std::optional<std::string> PrivateFolder::read(const std::string& name) const {
  if (faults::fails(faults::Fault::file)) return {};
  // O_NONBLOCK: opening something other than a regular file, such as a FIFO, must not block before it is rejected.
  const Descriptor file(
      openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    if (errno == ELOOP) refuse(path_, format("{}/{} is a symbolic link", path_, name));
    return {};
  }
  struct stat facts;
  if (fstat(file.number(), &facts) != 0) return {};
  if (const std::string distrust = distrust_of_private_file(facts); !distrust.empty()) {
    refuse(path_, format("{}/{} {}", path_, name, distrust));
    return {};
  }
  return read_all(file, static_cast<size_t>(facts.st_size));
}

bool PrivateFolder::write(const std::string& name, const std::string& content) const {
  if (faults::fails(faults::Fault::file)) return false;
  static std::atomic<uint64_t> serial{0};
  const std::string draft = format("{}.{}.{}.tmp", name, getpid(), serial++);
  Descriptor file(
      openat(folder_.number(), draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode));
  if (!file) return false;
  bool good = write_all(file, content);
  good = file.close() && good;
  good = good && renameat(folder_.number(), draft.c_str(), folder_.number(), name.c_str()) == 0;
  if (!good) remove(draft);
  return good;
}

void PrivateFolder::touch(const std::string& name) const {
  utimensat(folder_.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void PrivateFolder::remove(const std::string& name) const { unlinkat(folder_.number(), name.c_str(), 0); }

std::vector<PrivateFolder::Entry> PrivateFolder::list() const {
  const int number = openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* opened = number < 0 ? nullptr : fdopendir(number);
  if (!opened) {
    if (number >= 0) ::close(number);
    return {};
  }
  const auto close_folder = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close_folder)> folder(opened);
  std::vector<Entry> entries;
  while (const dirent* entry = readdir(opened)) {
    struct stat facts;
    if (fstatat(folder_.number(), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode)) continue;
    entries.push_back({entry->d_name, facts.st_mtim.tv_sec * nanoseconds + facts.st_mtim.tv_nsec,
                       static_cast<int64_t>(facts.st_size)});
  }
  return entries;
}

}  // namespace tessera
