#include "tessera/base/trusted_path.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/private_group.h"

namespace tessera {

namespace {

constexpr int most_links = 40;  // the kernel's own limit
constexpr mode_t write_by_others = S_IWGRP | S_IWOTH;

std::string mode_text(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof(text), "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

std::string writers_text(mode_t mode) {
  return format("may be written by {} (mode {})", mode & S_IWOTH ? "everyone" : "its group", mode_text(mode));
}

/// The owner of tessera's own library is trusted: that user could change its behaviour in any case.
uid_t owner_of_this_library() {
  static const uid_t owner = [] {
    Dl_info info;
    struct stat facts;
    const bool is_known = dladdr(reinterpret_cast<void*>(&owner_of_this_library), &info) != 0 && info.dli_fname &&
                          stat(info.dli_fname, &facts) == 0;
    return is_known ? facts.st_uid : uid_t{0};
  }();
  return owner;
}

/// One traversal of a path, component by component.
class Walk {
 public:
  Walk(Wanted wanted, Missing missing) : wanted_(wanted), missing_(missing) {}

  TrustedPath go(const std::string& path) {
    if (!push(path) || !enter_root()) return finish();
    while (!names_.empty()) {
      const std::string name = names_.back();
      names_.pop_back();
      if (!step(name)) break;
    }
    return finish();
  }

 private:
  /// Pushes the components of the path in front of the remaining ones.
  bool push(const std::string& path) {
    std::vector<std::string> parts;
    for (const auto& part : std::filesystem::path(path))
      if (const std::string text = part.string(); !text.empty() && text != "/" && text != ".") parts.push_back(text);
    names_.insert(names_.end(), parts.rbegin(), parts.rend());
    return path.find('\0') == std::string::npos || fail(EINVAL);
  }

  bool enter_root() {
    at_ = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    where_ = "";
    struct stat facts;
    return (at_ && fstat(at_.number(), &facts) == 0) ? check_parent(facts) : fail(errno);
  }

  bool step(const std::string& name) {
    const bool is_last = names_.empty();
    Descriptor next = open_name(name);
    struct stat facts;
    if (!next || fstat(next.number(), &facts) != 0) return fail(errno);
    const std::string before = where_;
    where_ = name == ".." ? std::filesystem::path(where_).parent_path().string() : where_ + "/" + name;
    if (where_ == "/") where_.clear();
    if (S_ISLNK(facts.st_mode)) return follow(next, facts, is_last, before);
    at_ = std::move(next);
    if (!is_last && !S_ISDIR(facts.st_mode)) return fail(ENOTDIR);
    return is_last ? check_last(facts) : check_parent(facts);
  }

  Descriptor open_name(const std::string& name) const {
    constexpr int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    Descriptor next(openat(at_.number(), name.c_str(), flags));
    if (next || errno != ENOENT || missing_ == Missing::is_left) return next;
    if (mkdirat(at_.number(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST) return next;
    return Descriptor(openat(at_.number(), name.c_str(), flags));
  }

  bool follow(const Descriptor& link, const struct stat& facts, bool is_last, const std::string& before) {
    if (is_last && wanted_ == Wanted::private_folder) return distrust("is a symbolic link");
    if (!is_trusted_owner(facts.st_uid)) return distrust(format("is a symbolic link of user {}", facts.st_uid));
    if (++links_ > most_links) return fail(ELOOP);
    char target[PATH_MAX];
    const ssize_t length = readlinkat(link.number(), "", target, sizeof(target));
    if (length <= 0 || length == sizeof(target)) return fail(length < 0 ? errno : ENAMETOOLONG);
    const std::string text(target, static_cast<size_t>(length));
    where_ = before;
    return push(text) && (text.front() != '/' || enter_root());
  }

  /// In a folder with the sticky bit, other users can add entries and change only their own, and those are not trusted.
  bool check_parent(const struct stat& facts) {
    if (!is_trusted_owner(facts.st_uid)) return distrust(format("belongs to user {}", facts.st_uid));
    if (facts.st_mode & S_ISVTX || !others_may_write(facts)) return true;
    return distrust(writers_text(facts.st_mode));
  }

  bool check_last(const struct stat& facts) {
    if (!is_trusted_owner(facts.st_uid)) return distrust(format("belongs to user {}", facts.st_uid));
    if (wanted_ == Wanted::private_folder) {
      if (!S_ISDIR(facts.st_mode)) return fail(ENOTDIR);
      return !(facts.st_mode & write_by_others) || distrust(writers_text(facts.st_mode));
    }
    if (!S_ISREG(facts.st_mode)) return fail(EISDIR);
    return !others_may_write(facts) || distrust(writers_text(facts.st_mode));
  }

  /// A group whose only member is this user counts as the user: with umask 002 all folders are writable by that group.
  bool others_may_write(const struct stat& facts) const {
    if (!(facts.st_mode & write_by_others)) return false;
    return facts.st_mode & S_IWOTH || !is_alone_in_group(facts.st_gid, at_.number());
  }

  bool is_trusted_owner(uid_t owner) const {
    return owner == 0 || owner == geteuid() || (wanted_ == Wanted::code_file && owner == owner_of_this_library());
  }

  bool distrust(const std::string& reason) {
    distrust_ = (where_.empty() ? "/" : where_) + " " + reason;
    return false;
  }
  bool fail(int error) {
    error_ = error;
    return false;
  }
  TrustedPath finish() {
    if (!distrust_.empty() || error_ != 0) return {{}, distrust_, error_};
    return {std::move(at_), {}, 0};
  }

  Wanted wanted_;
  Missing missing_;
  std::vector<std::string> names_;  // components still to visit, the next one last
  Descriptor at_;
  std::string where_;  // the path of the folder open in at_
  std::string distrust_;
  int error_ = 0, links_ = 0;
};

}  // namespace

TrustedPath open_trusted(const std::string& path, Wanted wanted, Missing missing) {
  if (path.empty()) return {{}, {}, ENOENT};
  std::error_code error;
  const std::string absolute = path.front() == '/' ? path : (std::filesystem::current_path(error) / path).string();
  if (error) return {{}, {}, error.value()};
  return Walk(wanted, missing).go(absolute);
}

std::string distrust_of_private_file(const struct stat& facts) {
  if (!S_ISREG(facts.st_mode)) return "is not a regular file";
  if (facts.st_uid != 0 && facts.st_uid != geteuid()) return format("belongs to user {}", facts.st_uid);
  if (facts.st_mode & write_by_others) return writers_text(facts.st_mode);
  if (facts.st_nlink > 1) return "is a hard link";
  return {};
}

}  // namespace tessera
