#include "tessera/bind/kernel/launch/fault_text.h"

#include <Python.h>

#include "tessera/base/format.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/kept.h"

namespace tessera::bind {

using engine::AccessFault, engine::FaultKind, engine::FaultParty, engine::MemoryKind;
using kernel::ReportSite;

namespace {

/// x, y, z of a number in C order of extents z, y, x.
std::string coordinates(int64_t number, std::span<const int64_t> extents) {
  const int64_t x = number % extents[2], y = number / extents[2] % extents[1], z = number / extents[2] / extents[1];
  return format("({}, {}, {})", x, y, z);
}

/// Texts about one fault.
class FaultText {
 public:
  FaultText(const AccessFault& fault, std::span<const ReportSite> sites, std::span<const int64_t> extents)
      : fault_(fault), sites_(sites), extents_(extents) {}

  std::string text() const {
    switch (fault_.kind) {
      case FaultKind::race:
        return format("race on {}: {}, {}, and no barrier is between them", element(), told(fault_.first),
                      told(fault_.second));
      case FaultKind::unwritten:
        return format("{} is read before anything is written to it: {}", element(), told(fault_.first));
      case FaultKind::barrier:
        return format(
            "a barrier is not reached by all threads of the block: {} waits in {}; {} ends without it, after {}",
            lane(fault_.first), place(fault_.first), lane(fault_.second), place(fault_.second));
      case FaultKind::barriers_differ:
        return format("threads wait at different barriers: {} in {}, {} in {}", lane(fault_.first), place(fault_.first),
                      lane(fault_.second), place(fault_.second));
    }
    return "";
  }

 private:
  const ReportSite& site(const FaultParty& party) const { return sites_[party.site]; }

  std::string lane(const FaultParty& party) const {
    const int64_t block = party.lane >> ir::lane_bits, thread = party.lane & ((1 << ir::lane_bits) - 1);
    return format("thread {} of block {}", coordinates(thread, extents_.subspan(3)), coordinates(block, extents_));
  }

  std::string place(const FaultParty& party) const {
    const ReportSite& at = site(party);
    return format("line {} of {} (file {})", at.line, at.function, at.file);
  }

  std::string told(const FaultParty& party) const {
    const char* verb = party.is_atomic ? "changed by an atomic of" : party.writes ? "written by" : "read by";
    return format("{} {} in {}", verb, lane(party), place(party));
  }

  std::string element() const {
    const ReportSite& at = site(fault_.kind == FaultKind::race ? fault_.second : fault_.first);
    const char* memory = fault_.memory == MemoryKind::shared  ? "shared memory"
                         : fault_.memory == MemoryKind::local ? "a local array"
                                                              : "global memory";
    std::string index;
    for (int64_t k : positions(at)) index += format("{}{}", index.empty() ? "" : ", ", k);
    return format("{}[{}] in {}", at.parts[0].text, index, memory);
  }

  /// The element's index; of a shared or local array its number, for which the site has the extents.
  std::vector<int64_t> positions(const ReportSite& at) const {
    std::vector<int64_t> index = fault_.index;
    if (fault_.memory == MemoryKind::global || at.parts.size() < 2) return index;
    int64_t rest = index[0];
    index.assign(at.parts.size() - 1, 0);
    for (size_t k = index.size(); k-- > 0;) {
      const int64_t extent = std::max<int64_t>(1, std::stoll(at.parts[1 + k].text));
      index[k] = k > 0 ? rest % extent : rest;
      rest /= extent;
    }
    return index;
  }

  const AccessFault& fault_;
  std::span<const ReportSite> sites_;
  std::span<const int64_t> extents_;
};

}  // namespace

std::string describe_fault(const AccessFault& fault, std::span<const ReportSite> sites,
                           std::span<const int64_t> extents) {
  return FaultText(fault, sites, extents).text();
}

void throw_faults(const std::string& kernel, const std::vector<std::string>& faults) {
  static constinit Imported type("tessera.errors", "KernelFaultError");
  Object listed = owned(PyList_New(0));
  for (const std::string& fault : faults) {
    const Object text = owned(PyUnicode_FromStringAndSize(fault.data(), static_cast<Py_ssize_t>(fault.size())));
    checked(PyList_Append(listed.get(), text.get()));
  }
  Object exception = owned(PyObject_CallFunction(type, "sO", kernel.c_str(), listed.get()));
  PyErr_SetObject(type, exception.get());
  throw ErrorAlreadySet();
}

}  // namespace tessera::bind
