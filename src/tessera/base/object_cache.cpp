#include "tessera/base/object_cache.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

#include "tessera/base/hash.h"

namespace tessera {

namespace {

constexpr std::string_view magic = "tessera object 1\n";
constexpr std::string_view suffix = ".tessera";
constexpr auto stale_age = std::chrono::minutes(10);

int64_t now_in_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

/// File layout: the magic, the checksum of all that follows, the key's length, the key, the object.
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

std::string ObjectCache::name_of(const std::string& key) { return hex(Hash().add(key).value()) + std::string(suffix); }

std::optional<std::string> ObjectCache::find(const std::string& key) {
  const std::optional<PrivateFolder> folder = PrivateFolder::open(folder_);
  if (!folder) return {};
  const std::string name = name_of(key);
  const std::optional<std::string> content = folder->read(name);
  if (!content) return {};
  std::optional<std::string> object = unpack(*content, key);
  // Eviction is by the time of the last use.
  object ? folder->touch(name) : folder->remove(name);
  return object;
}

void ObjectCache::store(const std::string& key, const std::string& object) {
  const std::string content = pack(key, object);
  const int64_t bytes = static_cast<int64_t>(content.size());
  if (bytes > limit_) return;
  const std::optional<PrivateFolder> folder = PrivateFolder::open(folder_, Missing::is_made);
  if (folder) make_room(*folder, key, bytes);
  if (folder && folder->write(name_of(key), content)) {
    std::scoped_lock lock(mutex_);
    if (known_size_ >= 0) known_size_ += bytes;
  } else {
    ++failures_;
  }
}

/// Removes the least recently used files until `bytes` more fit with a tenth of the limit to spare. Reading a folder of
/// many files takes half a second, during which a kernel waits. A process that has not read the folder yet does so only
/// for a fraction of keys, such that, over all processes, about a 64th of the limit is stored between two readings.
void ObjectCache::make_room(const PrivateFolder& folder, const std::string& key, int64_t bytes) {
  std::scoped_lock lock(mutex_);
  if (known_size_ >= 0 && known_size_ + bytes <= limit_) return;
  const auto files_between = static_cast<uint64_t>(std::max<int64_t>(1, limit_ / 64 / bytes));
  if (known_size_ < 0 && Hash().add(key).value() % files_between != 0) return;
  std::vector<PrivateFolder::Entry> entries = folder.list();
  known_size_ = 0;
  const int64_t stale = now_in_nanoseconds() - std::chrono::nanoseconds(stale_age).count();
  std::erase_if(entries, [&](const PrivateFolder::Entry& entry) {
    if (entry.name.ends_with(".tmp") && entry.used < stale) folder.remove(entry.name);
    return !entry.name.ends_with(suffix);
  });
  for (const PrivateFolder::Entry& entry : entries) known_size_ += entry.size;
  if (known_size_ + bytes <= limit_) return;
  std::ranges::sort(entries, {}, &PrivateFolder::Entry::used);
  for (const PrivateFolder::Entry& entry : entries) {
    if (known_size_ + bytes <= limit_ - limit_ / 10) return;
    folder.remove(entry.name);
    known_size_ -= entry.size;
  }
}

}  // namespace tessera
