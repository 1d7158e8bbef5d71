#include "tessera/engine/device/memory/copy_guard.h"

#include <cstdlib>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::engine {

namespace {

CopyHooks hooks{};

CopyGuard first_guard() {
  const char* value = std::getenv("TESSERA_COPIES");
  const std::string_view text = value ? value : "allow";
  const CopyRule rule = text == "error" ? CopyRule::error : text == "log" ? CopyRule::log : CopyRule::allow;
  require<ValueError>(rule != CopyRule::allow || text == "allow" || text.empty(),
                      "TESSERA_COPIES must be 'allow', 'log' or 'error' (got '{}')", text);
  return {rule, rule, rule};
}

std::string describe(const graph::Version* version, int64_t nbytes) {
  const graph::LargeArray* large = version ? version->large : nullptr;
  std::string text = runtime::size_text(nbytes);
  if (!large) return text;
  text += format(" of an array of shape {} and data type {}", shape_text(large->shape), name(large->dtype));
  const std::string maker = hooks.describe && large->site ? hooks.describe(large->site) : "";
  return maker.empty() ? text : text + ", made at " + maker;
}

void watch(CopyRule rule, const graph::Version* version, int64_t nbytes, const std::string& from, const std::string& to,
           const char* direction) {
  const std::string what = describe(version, nbytes);
  require<CopyForbidden>(rule != CopyRule::error,
                         "copy_guard: {} would be copied from {} to {}, and {} is 'error'; tessera.asnumpy() and "
                         "tessera.to_device() copy all the same",
                         what, from, to, direction);
  const std::string here = hooks.here ? hooks.here() : "";
  const std::string text =
      format("{} copied from {} to {}{}{}", what, from, to, here.empty() ? "" : ", asked for at ", here);
  if (hooks.log) hooks.log(text);
}

}  // namespace

CopyGuard& copy_guard() {
  static const CopyGuard first = first_guard();
  thread_local CopyGuard guard = first;
  return guard;
}

void set_copy_hooks(const CopyHooks& new_hooks) { hooks = new_hooks; }

void watch_copy_in(const graph::Version* version, int64_t nbytes, const runtime::Device& device) {
  const CopyRule rule = copy_guard().to_device;
  if (rule != CopyRule::allow) watch(rule, version, nbytes, "the host", runtime::device_name(&device), "to_device");
}

void watch_copy_out(const graph::Version* version, int64_t nbytes, const runtime::Device& device) {
  const CopyRule rule = copy_guard().from_device;
  if (rule != CopyRule::allow) watch(rule, version, nbytes, runtime::device_name(&device), "the host", "from_device");
}

void watch_copy_between(const graph::Version* version, int64_t nbytes, const runtime::Device& from,
                        const runtime::Device& to) {
  const CopyRule rule = copy_guard().between_devices;
  if (rule != CopyRule::allow)
    watch(rule, version, nbytes, runtime::device_name(&from), runtime::device_name(&to), "between_devices");
}

}  // namespace tessera::engine
