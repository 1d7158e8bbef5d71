#include "tessera/kernel/typed/type_record.h"

#include <algorithm>

namespace tessera::kernel {

void TypeRecord::note(const Node& expression, const Type& type) {
  std::vector<Type>& known = types_[&expression];
  if (std::ranges::find(known, type) == known.end()) known.push_back(type);
}

std::string TypeRecord::describe(const Node& expression) const {
  const auto found = types_.find(&expression);
  if (found == types_.end()) return "";
  std::vector<std::string> all;
  for (const Type& type : found->second) {
    std::string one = kernel::describe(type);
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : " or ") + one;
  return text;
}

}  // namespace tessera::kernel
