#include "tessera/bind/engine/call_site.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <unordered_set>

#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/current_frame.h"

namespace tessera::bind {

namespace {

// The code objects of call sites are kept alive, so that a line can be found later. Their number is limited for
// programs that create code continually: code beyond the limit gets no site.
constexpr size_t most_codes = 1 << 16;
std::unordered_set<PyObject*> codes;
std::array<PyObject*, tessera_code_slots> recent;

bool keep(PyObject* code) {
  if (!codes.contains(code)) {
    if (codes.size() >= most_codes) return false;
    codes.insert(Py_NewRef(code));
  }
  recent[tessera_code_slot(code)] = code;
  return true;
}

/// The folder that contains this module.
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
  if (const uint64_t site = tessera_known_site(recent.data())) [[likely]]
    return site;
  // For the package's own Python code, the call site is in the first frame outside the package.
  PyObject* code;
  int offset;
  return tessera_outer_frame(&code, &offset, is_own) && keep(code) ? tessera_site(code, offset) : 0;
}

std::optional<SourceLine> source_line(uint64_t site) {
  if (site == 0) return std::nullopt;
  auto* code = reinterpret_cast<PyCodeObject*>(site >> tessera_site_bits);
  int line = PyCode_Addr2Line(code, static_cast<int>(site & 0xFFFF) * 2);
  return SourceLine{PyUnicode_AsUTF8(code->co_filename), line};
}

std::string describe_site(uint64_t site) {
  const auto line = source_line(site);
  return line ? format("{}:{}", line->file, line->line) : std::string();
}

}  // namespace tessera::bind
