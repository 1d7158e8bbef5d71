/// What a checked kernel tells the host of its accesses and barriers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/ir/checks.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/report.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

class Lowering;
class AtNode;

/// How an element is accessed.
enum class Access : uint8_t { read, write, atomic };

/// Where a checked kernel accesses arrays and meets others, by the numbers that it tells the host.
class Checks {
 public:
  explicit Checks(Lowering& l);

  /// Where a checked kernel accesses arrays and meets, by the numbers that it tells the host; the first part is the
  /// array's name.
  const std::vector<ReportSite>& sites() const { return access_sites_; }
  /// Tells the host of an access that follows, where the kernel is checked.
  void check_access(Access access, const ArrayView::Base& element, std::span<const ir::Value> at,
                    ir::Value stored = ir::no_value);
  /// The same of barriers and fences.
  void check_meeting(const Node& node, ir::CheckCall call);

 private:
  int64_t access_site(const Type* array);
  void tell_check(ir::CheckCall call, const Type* array, std::span<const ir::Value> operands);
  void tell_access(bool writes, const ArrayView::Base& element, std::span<const ir::Value> at, ir::Value stored);

  friend class AtNode;
  Lowering& l_;
  ir::Builder& b;
  std::vector<ReportSite> access_sites_;  // the first part is the array's name
  const Node* accessed_ = nullptr;        // where the access stands, if that is known better than by its statement
};

/// What is accessed within the scope stands at this node.
class AtNode {
 public:
  AtNode(Lowering& l, const Node& node);
  ~AtNode();
  AtNode(const AtNode&) = delete;
  AtNode& operator=(const AtNode&) = delete;

 private:
  Checks& checks_;
  const Node* before_;
};

/// The iterations, each of which tells that it begins.
Sequence told(Lowering& l, const Sequence& iterations);
/// The array of a subscript or of an atomic operation as the source names it.
std::string array_name(const Node& node);

}  // namespace tessera::kernel
