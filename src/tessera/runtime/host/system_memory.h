/// What the operating system gives and takes: page mappings, and how much memory there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::runtime {

inline constexpr size_t page_size = 4096;
inline constexpr size_t huge_page_size = size_t{2} << 20;

/// Fresh zeroed pages, or null. Blocks of a huge page or more are aligned to one and ask for huge pages; smaller ones
/// are populated at once, which costs far less than a fault a page.
void* map_pages(size_t nbytes) noexcept;
void unmap_pages(void* data, size_t nbytes) noexcept;

/// Whether that much address space is left to the process just now.
bool has_address_space(size_t nbytes) noexcept;

/// Bytes this process could hold at most: physical memory and swap, or less where a control group says so.
int64_t memory_limit();

/// Bytes of the cache that one core has to itself.
int64_t core_cache_bytes();

/// "7.28 TiB", as NumPy writes sizes.
std::string size_text(int64_t nbytes);

}  // namespace tessera::runtime
