/// What a checked launch has done wrong, as the exception that the host raises.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/engine/kernels/access_check.h"
#include "tessera/kernel/report.h"

namespace tessera::bind {

/// One sentence. Sites are those of Compiled::accesses; extents those of the launch.
std::string describe_fault(const engine::AccessFault& fault, std::span<const kernel::ReportSite> sites,
                           std::span<const int64_t> extents);
/// Throws tessera.errors.KernelFaultError, which lists them.
[[noreturn]] void throw_faults(const std::string& kernel, const std::vector<std::string>& faults);

}  // namespace tessera::bind
