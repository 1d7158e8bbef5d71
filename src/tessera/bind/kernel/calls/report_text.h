/// What kernels and functions tell the host, as Python sees it: printed lines and exceptions.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/kernel/report.h"

namespace tessera::bind {

/// Writes the lines to sys.stdout; `words` of them were printed, of which the first have found room.
void print_lines(std::span<const kernel::ReportSite> sites, std::span<const int64_t> lines, int64_t words,
                 bool of_kernel);
/// Throws the exception that a report tells of. Of a kernel's, block and thread are in its text.
[[noreturn]] void throw_report(std::span<const kernel::ReportSite> sites, std::span<const int64_t> report,
                               bool of_kernel);

}  // namespace tessera::bind
