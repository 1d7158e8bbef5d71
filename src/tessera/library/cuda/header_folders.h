/// Where CUDA's headers are that belong to an NVRTC.
#pragma once

#include <string>
#include <vector>

#include "tessera/library/cuda/toolkit.h"

namespace tessera::library::cuda {

/// The folders with headers of this major version: beside the library, in Python packages, conda, CUDA_HOME.
std::vector<std::string> header_folders(const std::string& library, const Places& places, int major);

}  // namespace tessera::library::cuda
