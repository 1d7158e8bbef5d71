#include "tessera/codegen/object_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tessera/base/hash.h"

namespace tessera::codegen {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view magic = "tessera object 1\n";
constexpr std::string_view suffix = ".tessera";
constexpr auto stale_age = std::chrono::minutes(10);

std::string hex(uint64_t word) {
  std::string text(16, '0');
  for (int k = 15; k >= 0; --k, word >>= 4) text[k] = "0123456789abcdef"[word & 15];
  return text;
}

uint64_t checksum(std::string_view bytes) {
  Hash hash;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    hash.add(word);
  }
  return hash.add(bytes.substr(at)).value();
}

/// A file is the magic, the checksum of all that follows, the key's length, the key, the object.
std::string pack(const std::string& key, const std::string& object) {
  std::string body = hex(key.size()) + key + object;
  return std::string(magic) + hex(checksum(body)) + body;
}

std::optional<std::string> unpack(const std::string& content, const std::string& key) {
  const size_t start = magic.size() + 16;
  if (content.size() < start + 16 || content.compare(0, magic.size(), magic) != 0) return {};
  const std::string_view body = std::string_view(content).substr(start);
  if (content.compare(magic.size(), 16, hex(checksum(body))) != 0) return {};
  if (body.substr(0, 16) != hex(key.size()) || body.substr(16, key.size()) != key) return {};
  return std::string(body.substr(16 + key.size()));
}

}  // namespace

std::string ObjectCache::path_of(const std::string& key) const {
  return folder_ + "/" + hex(Hash().add(key).value()) + std::string(suffix);
}

std::optional<std::string> ObjectCache::find(const std::string& key) {
  const std::string path = path_of(key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::optional<std::string> object = unpack(content, key);
  std::error_code ignored;
  if (object) {
    // The time of the last use decides what goes first.
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  } else {
    fs::remove(path, ignored);
  }
  return object;
}

/// Written beside its place and renamed, so that no reader ever sees half a file.
bool ObjectCache::write(const std::string& path, const std::string& content) {
  const std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(serial_++) + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  size_t written = 0;
  bool good = true;
  while (good && written < content.size()) {
    const ssize_t n = ::write(file, content.data() + written, content.size() - written);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    written += good ? static_cast<size_t>(n) : 0;
  }
  good = close(file) == 0 && good;
  good = good && rename(temporary.c_str(), path.c_str()) == 0;
  if (!good) unlink(temporary.c_str());
  return good;
}

void ObjectCache::store(const std::string& key, const std::string& object) {
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string content = pack(key, object);
  const int64_t bytes = static_cast<int64_t>(content.size());
  if (bytes > limit_) return;
  make_room(key, bytes);
  if (write(path_of(key), content)) {
    std::scoped_lock lock(mutex_);
    if (known_size_ >= 0) known_size_ += bytes;
  } else {
    ++failures_;
  }
}

/// Removes the files used longest ago until `bytes` more fit with a tenth to spare. Reading a folder of many files takes half a
/// second, and a kernel waits for it: of all processes' files one in so many asks for it that a 64th of the limit lies between.
void ObjectCache::make_room(const std::string& key, int64_t bytes) {
  std::scoped_lock lock(mutex_);
  if (known_size_ >= 0 && known_size_ + bytes <= limit_) return;
  const auto files_between = static_cast<uint64_t>(std::max<int64_t>(1, limit_ / 64 / bytes));
  if (known_size_ < 0 && Hash().add(key).value() % files_between != 0) return;
  struct Entry {
    fs::file_time_type used;
    int64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  known_size_ = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    Entry entry{at->last_write_time(gone), static_cast<int64_t>(at->file_size(gone)), at->path()};
    if (gone) continue;
    const bool is_left_over = entry.path.extension() == ".tmp" && now - entry.used > stale_age;
    if (is_left_over) fs::remove(entry.path, gone);
    if (entry.path.extension() != suffix) continue;
    known_size_ += entry.size;
    entries.push_back(std::move(entry));
  }
  if (known_size_ + bytes <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (known_size_ + bytes <= limit_ - limit_ / 10) return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    known_size_ -= entry.size;
  }
}

}  // namespace tessera::codegen
