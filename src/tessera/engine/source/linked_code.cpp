#include "tessera/engine/source/linked_code.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/base/mutex.h"

namespace tessera::engine {

namespace {

struct Kept {
  Mutex mutex;
  std::map<uint64_t, LinkedCode> code;
};

Kept& kept() {
  static auto& all = *new Kept;
  return all;
}

/// The most registers of a thread with which a multiprocessor runs the blocks that the kernel is compiled for.
/// Functions in other code have no bounds of their own, and the hungriest decides for the kernel.
int most_registers(const ir::DeviceOptions& asked, int threads) {
  constexpr int of_a_multiprocessor = 65536, most = 255, warp = 32, granule = 8;
  if (asked.max_threads > 0) threads = asked.max_threads;
  const int of_a_block = (threads + warp - 1) / warp * warp;
  const int fitting = of_a_multiprocessor / (of_a_block * std::max(1, int{asked.min_blocks})) / granule * granule;
  const int wanted = asked.max_registers > 0 ? asked.max_registers : most;
  const int allowed = std::min(wanted, std::max(fitting, granule));
  return allowed < most ? allowed : 0;
}

std::string names_of(std::span<const library::LinkPart> parts) {
  if (parts.empty()) return "no other code";
  std::string names;
  for (const library::LinkPart& part : parts) names += (names.empty() ? "" : ", ") + part.name;
  return names;
}

}  // namespace

uint64_t keep_linked_code(LinkedCode code) {
  Hash hash;
  hash.add(static_cast<uint64_t>(code.has_debug_info) * 2 + static_cast<uint64_t>(code.has_line_info));
  for (const library::LinkPart& part : code.parts) {
    hash.add(static_cast<uint64_t>(part.kind));
    hash.add(std::string_view(part.name));
    hash.add(std::string_view(part.code));
  }
  const uint64_t key = hash.value() | 1;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.code.try_emplace(key, std::move(code));
  return key;
}

std::string link_kernel(const ir::Kernel& kernel, std::string ptx, int threads, library::LinkOptions options) {
  std::vector<library::LinkPart> others;
  if (kernel.linked) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    const auto found = all.code.find(kernel.linked);
    invariant(found != all.code.end(), "link: the code of {} is not kept", kernel.name);
    others = found->second.parts;
    options.has_debug_info = found->second.has_debug_info;
    options.has_line_info = found->second.has_line_info;
  }
  options.max_registers = most_registers(kernel.device, threads);
  std::vector<library::LinkPart> parts{{.kind = library::LinkKind::ptx, .name = kernel.name, .code = std::move(ptx)}};
  parts.insert(parts.end(), others.begin(), others.end());
  try {
    return library::link_code(parts, options);
  } catch (const library::LinkFailure& failure) {
    throw library::LinkFailure(
        format("linking kernel {} with {} failed: {}", kernel.name, names_of(others), failure.what()));
  }
}

}  // namespace tessera::engine
