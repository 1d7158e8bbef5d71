#include "tessera/bind/call_site.h"

#include <array>
#include <unordered_set>

#include "tessera/bind/current_frame.h"
#include "tessera/bind/object.h"

namespace tessera::bind {

namespace {

// A site is its code object's address and the number of the instruction: 48 and 16 bits. The code objects named by sites
// are kept alive, so that a line can be found later. Programs that make code without end get no more sites.
constexpr int offset_bits = 16;
constexpr size_t most_codes = 1 << 16;
std::unordered_set<PyObject*> codes;
std::array<PyObject*, 64> recent;

bool keep(PyObject* code) {
  PyObject*& slot = recent[reinterpret_cast<uintptr_t>(code) >> 6 & 63];
  if (slot == code) return true;
  if (!PyCode_Check(code)) return false;  // the interpreter's own frame below the first Python one
  if (!codes.contains(code)) {
    if (codes.size() >= most_codes) return false;
    codes.insert(Py_NewRef(code));
  }
  slot = code;
  return true;
}

}  // namespace

uint64_t call_site() {
  PyObject* code;
  int offset;
  if (!tessera_current_frame(&code, &offset) || !keep(code)) return 0;
  return reinterpret_cast<uintptr_t>(code) << offset_bits | (static_cast<unsigned>(offset / 2) & 0xFFFF);
}

std::optional<SourceLine> source_line(uint64_t site) {
  if (site == 0) return std::nullopt;
  auto* code = reinterpret_cast<PyCodeObject*>(site >> offset_bits);
  int line = PyCode_Addr2Line(code, static_cast<int>(site & 0xFFFF) * 2);
  return SourceLine{PyUnicode_AsUTF8(code->co_filename), line};
}

}  // namespace tessera::bind
