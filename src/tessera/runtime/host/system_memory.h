/// SystemMemory: page mappings of the operating system, and how much memory there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::runtime {

inline constexpr size_t page_size = 4096;
inline constexpr size_t huge_page_size = size_t{2} << 20;

/// Fresh zeroed pages, or null. Blocks of a huge page or more are aligned to one and request huge pages; smaller ones
/// are populated at once, which costs far less than one page fault per page.
void* map_pages(size_t nbytes) noexcept;
void unmap_pages(void* data, size_t nbytes) noexcept;

/// Whether the process currently has that much address space left.
bool has_address_space(size_t nbytes) noexcept;

/// The most bytes this process can hold: physical memory and swap, or less if a control group limits it.
int64_t memory_limit();

/// Bytes of the cache that is private to one core.
int64_t core_cache_bytes();

/// "7.28 TiB", as NumPy writes sizes.
std::string size_text(int64_t nbytes);

}  // namespace tessera::runtime
