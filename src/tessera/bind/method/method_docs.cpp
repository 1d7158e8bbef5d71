#include "tessera/bind/method/method_docs.h"

#include <deque>
#include <string>

#include "tessera/base/format.h"
#include "tessera/bind/array/object.h"

namespace tessera::bind {

namespace {

std::string with_signature(const PyMethodDef& method, PyObject* numpys_type) {
  const std::string text = method.ml_doc ? method.ml_doc : "";
  Object function(PyObject_GetAttrString(numpys_type, method.ml_name));
  Object signature(function ? PyObject_GetAttrString(function.get(), "__text_signature__") : nullptr);
  if (!signature || !PyUnicode_Check(signature.get())) return PyErr_Clear(), text;
  return format("{}{}\n--\n\n{}", method.ml_name, PyUnicode_AsUTF8(signature.get()), text);
}

}  // namespace

void add_signatures(std::span<PyMethodDef> methods, PyObject* numpys_type) {
  static std::deque<std::string> docs;
  for (PyMethodDef& method : methods) {
    if (!method.ml_name) continue;
    docs.push_back(with_signature(method, numpys_type));
    method.ml_doc = docs.back().c_str();
  }
}

}  // namespace tessera::bind
