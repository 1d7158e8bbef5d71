// Implements the part of NVTX 3 that its headers compile into every program: the tool's library requests a table and
// stores the addresses of its own functions there.
#include "tessera/profile/ranges.h"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "tessera/base/dynamic_library.h"

namespace tessera::profile {

namespace {

using Function = void (*)();

enum Module : int { module_core = 1 };
enum Callback : int { range_push_with = 8, range_push = 9, range_pop = 11, callbacks = 16 };
enum ExportTable : uint32_t { table_callbacks = 1, table_version = 3 };

std::array<Function, callbacks> functions{};
std::array<Function*, callbacks + 1> slots{};  // slot 0 belongs to no callback; null follows the last one

int get_functions(int module, Function*** table, unsigned* size) {
  if (module != module_core) return 0;
  for (size_t k = 1; k < callbacks; ++k) slots[k] = &functions[k];
  if (size) *size = callbacks;
  if (table) *table = slots.data();
  return 1;
}

void set_version(uint32_t) {}

/// nvtxEventAttributes_t.
struct Attributes {
  uint16_t version = 3;
  uint16_t size = sizeof(Attributes);
  uint32_t category = 0;
  int32_t color_type = 1;  // ARGB
  uint32_t color = 0;
  int32_t payload_type = 0;
  int32_t reserved = 0;
  uint64_t payload = 0;
  int32_t message_type = 1;  // bytes
  const char* message = nullptr;
};
static_assert(sizeof(Attributes) == 48);

struct Callbacks {
  size_t size = sizeof(Callbacks);
  int (*get)(int, Function***, unsigned*) = get_functions;
};
struct Version {
  size_t size = sizeof(Version);
  uint32_t version = 3;
  uint32_t reserved = 0;
  void (*set)(uint32_t) = set_version;
};

const void* get_table(uint32_t table) {
  static const Callbacks callbacks_table;
  static const Version version_table;
  return table == table_callbacks ? static_cast<const void*>(&callbacks_table)
         : table == table_version ? &version_table
                                  : nullptr;
}

bool attach() {
  constexpr const char* variable = "NVTX_INJECTION64_PATH";
  const char* path = secure_getenv(variable);
  if (!path) return false;
  static const auto& library = *new DynamicLibrary(DynamicLibrary::try_open_named(variable, path));
  using Initialize = int(const void* (*)(uint32_t));
  auto* initialize = library.find_function<Initialize>("InitializeInjectionNvtx2");
  return initialize && initialize(get_table) && functions[range_push] && functions[range_pop];
}

}  // namespace

bool has_listener() {
  static const bool attached = attach();
  return attached;
}

void push_range(const char* name) { reinterpret_cast<int (*)(const char*)>(functions[range_push])(name); }
void push_range(const char* name, uint32_t argb) {
  if (!functions[range_push_with]) return push_range(name);
  Attributes attributes;
  attributes.color = argb;
  attributes.message = name;
  reinterpret_cast<int (*)(const Attributes*)>(functions[range_push_with])(&attributes);
}

void pop_range() { reinterpret_cast<int (*)()>(functions[range_pop])(); }

}  // namespace tessera::profile
