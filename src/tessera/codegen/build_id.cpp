#include "tessera/codegen/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace tessera::codegen {

namespace {

constexpr size_t aligned(size_t size) { return (size + 3) / 4 * 4; }

/// The build id among the notes of one ELF segment.
std::string find_note(const char* at, const char* end) {
  static constexpr char digits[] = "0123456789abcdef";
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* name = at + sizeof note;
    const char* bytes = name + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (size_t k = 0; k < note.n_descsz; ++k) {
        const auto byte = static_cast<unsigned char>(bytes[k]);
        id += digits[byte >> 4];
        id += digits[byte & 15];
      }
      return id;
    }
    at = bytes + aligned(note.n_descsz);
  }
  return {};
}

/// Callback of dl_iterate_phdr; stops at the loaded object that contains this function.
int visit(dl_phdr_info* object, size_t, void* result) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&visit);
  bool mine = false;
  std::string id;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = object->dlpi_phdr[k];
    const ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD) mine |= here >= start && here < start + part.p_memsz;
    if (part.p_type == PT_NOTE && id.empty()) {
      const auto* notes = reinterpret_cast<const char*>(start);
      id = find_note(notes, notes + part.p_memsz);
    }
  }
  if (mine) *static_cast<std::string*>(result) = id;
  return mine;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(visit, &id);
  return id;
}

}  // namespace tessera::codegen
