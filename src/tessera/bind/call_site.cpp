#include "tessera/bind/call_site.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
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

PyObject*& recent_slot(PyObject* code) { return recent[reinterpret_cast<uintptr_t>(code) >> 6 & 63]; }
bool is_recent(PyObject* code) { return recent_slot(code) == code; }

bool keep(PyObject* code) {
  if (!codes.contains(code)) {
    if (codes.size() >= most_codes) return false;
    codes.insert(Py_NewRef(code));
  }
  recent_slot(code) = code;
  return true;
}

/// The folder this module lies in.
std::string find_package() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&find_package), &info) || !info.dli_fname) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

int is_own(PyObject* code) {
  static const std::string package = find_package();
  const char* file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code)->co_filename);
  if (!file) PyErr_Clear();
  return file && !package.empty() && std::strncmp(file, package.c_str(), package.size()) == 0;
}

}  // namespace

uint64_t call_site() {
  PyObject* code;
  int offset;
  if (!tessera_current_frame(&code, &offset)) return 0;
  if (!is_recent(code)) [[unlikely]] {
    // What this package does in Python was asked for further out.
    if (!tessera_outer_frame(&code, &offset, is_own) || !keep(code)) return 0;
  }
  return reinterpret_cast<uintptr_t>(code) << offset_bits | (static_cast<unsigned>(offset / 2) & 0xFFFF);
}

std::optional<SourceLine> source_line(uint64_t site) {
  if (site == 0) return std::nullopt;
  auto* code = reinterpret_cast<PyCodeObject*>(site >> offset_bits);
  int line = PyCode_Addr2Line(code, static_cast<int>(site & 0xFFFF) * 2);
  return SourceLine{PyUnicode_AsUTF8(code->co_filename), line};
}

}  // namespace tessera::bind
