#include "tessera/engine/source/linked_code.h"

#include <map>
#include <mutex>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"

namespace tessera::engine {

namespace {

using LinkParts = std::vector<library::LinkPart>;

struct Kept {
  std::mutex mutex;
  std::map<uint64_t, LinkParts> parts;
};

Kept& kept() {
  static auto& all = *new Kept;
  return all;
}

}  // namespace

uint64_t keep_linked_code(LinkParts parts) {
  Hash hash;
  for (const library::LinkPart& part : parts) {
    hash.add(static_cast<uint64_t>(part.kind));
    hash.add(std::string_view(part.name));
    hash.add(std::string_view(part.code));
  }
  const uint64_t key = hash.value() | 1;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.parts.try_emplace(key, std::move(parts));
  return key;
}

std::string link_kernel(const ir::Kernel& kernel, std::string ptx, const library::LinkOptions& options) {
  LinkParts parts{{.kind = library::LinkKind::ptx, .name = kernel.name, .code = std::move(ptx)}};
  if (kernel.linked) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    const auto found = all.parts.find(kernel.linked);
    invariant(found != all.parts.end(), "link: the code of {} is not kept", kernel.name);
    parts.insert(parts.end(), found->second.begin(), found->second.end());
  }
  return library::link_code(parts, options);
}

}  // namespace tessera::engine
