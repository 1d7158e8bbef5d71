#include "tessera/codegen/samples/assembler.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tessera::codegen {

std::string assemble(const std::string& ptx, int sm, const std::string& options) {
  const std::string base =
      (std::filesystem::temp_directory_path() / ("tessera_ptx_" + std::to_string(getpid()))).string();
  std::ofstream(base + ".ptx") << ptx;
  const std::string level = options.empty() ? " -O1 " : " -O3 " + options + " ";
  const std::string command =
      "ptxas -arch=sm_" + std::to_string(sm) + level + base + ".ptx -o " + base + ".cubin > " + base + ".log 2>&1";
  std::string said;
  const bool failed = std::system(command.c_str()) != 0;
  if (failed || !options.empty()) {
    std::ifstream log(base + ".log");
    said.assign(std::istreambuf_iterator<char>(log), {});
    if (failed && said.empty()) said = "error: ptxas failed";
  }
  for (const char* suffix : {".ptx", ".cubin", ".log"}) std::filesystem::remove(base + suffix);
  return said;
}

int assembled_for(int sm) {
  const auto knows = [](int machine) {
    return assemble(".version 6.3\n.target sm_" + std::to_string(machine) + "\n.address_size 64\n", machine).empty();
  };
  while (sm < 90 && !knows(sm)) sm = sm < 75 ? 75 : sm < 80 ? 80 : 90;
  return knows(sm) ? sm : 0;
}

int registers_of(const std::string& said) {
  const size_t at = said.find("Used ");
  return at == std::string::npos ? 0 : std::atoi(said.c_str() + at + 5);
}

}  // namespace tessera::codegen
