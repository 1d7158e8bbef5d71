#include "tessera/kernel/typed/program.h"

namespace tessera::kernel::typed {

std::vector<std::pair<std::string, std::string>> variables_of(const Program& program) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [key, type] : program.variables.types)
    if (key.starts_with('.') && key != ".return") variables.emplace_back(key.substr(1), describe(type));
  return variables;
}

}  // namespace tessera::kernel::typed
