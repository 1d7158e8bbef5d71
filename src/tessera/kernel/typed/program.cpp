#include "tessera/kernel/typed/program.h"

#include <algorithm>

namespace tessera::kernel::typed {

std::vector<std::pair<std::string, std::string>> variables_of(const Program& program) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [key, variable] : program.variables.found)
    if (key.path == 0 && key.slot >= 0 && variable.name != result_name)
      variables.emplace_back(variable.name, describe(variable.type));
  std::ranges::sort(variables);
  return variables;
}

}  // namespace tessera::kernel::typed
