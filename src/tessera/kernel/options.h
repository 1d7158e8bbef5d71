/// CompileOptions: how a function is compiled, and what compiled functions ask of the host.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"
#include "tessera/ir/new_memory.h"

namespace tessera::kernel {

/// How a function is compiled.
struct CompileOptions {
  bool is_function = false;      // the host calls it for its result; else a kernel, of many threads
  bool is_device = false;        // with is_function: code of a device calls it, on threads of a grid
  bool is_parallel = false;      // iterations of prange run on several threads
  bool is_body = false;          // of an op: numbers in, numbers out
  bool may_overlap = false;      // arrays that are passed may share memory
  bool checks_bounds = false;    // an index outside of an array raises IndexError
  bool checks_accesses = false;  // the host is told of each access, barrier and fence (ir/checks.h)
  bool ends_launch = false;      // with checks_accesses: an exception that no try is around ends the whole launch
  bool checks_races = false;     // of a function: the host is told of accesses in parallel loops
  bool has_lines = false;        // marks say where in the source code for a device comes from
  bool raises_on_zero = false;   // integer and float divisions by zero raise ZeroDivisionError, as Python's do
  bool fast_math = false;  // float32 functions of a device may be its approximations; sums of a host's in any order
  ir::DeviceOptions device{};
  bool contracts = true;       // a product that is only added to something is one operation with it
  bool records_types = false;  // inference keeps the types of the function's expressions
};

/// What a function asks of the host while it runs (ir::Opcode::call_host).
enum class HostFunction : uint32_t {
  allocate = ir::allocate,  // (elements, dtype, or container_words): the address of new memory, in elements
  allocate_zeros,           // the same, zeroed
  call_numpy,  // (function, line, number of the file's text, results, dtype and axes of each, arguments, the arguments,
               // names, those of the last arguments): see host_routines.h; the function is a routine, or one of the
               // objects as -1 - number; axes of arrays that have strides of their own are negative
  draw,        // (HostDraw, two words of doubles): the bits of a number of NumPy's global stream
  draw_normal,       // (HostDraw::normal, mean, standard deviation): the same
  thread_number,     // (): of the thread that runs, below the number of threads
  chunk_size,        // (): the least number of iterations of prange that a thread takes at once, 0 where none was set
  grow,              // (begin, used words, words, whether they hold no addresses): the address of new memory with
                     // these words in front, in words
  thread_count,      // (): how many threads parallel work uses
  set_thread_count,  // (number): sets it
  // Of parallel loops that are checked for races, whose iterations then run in order:
  begin_parallel,     // ()
  begin_iteration,    // (the number of the iteration)
  read_element,       // (site, buffer, the number of indices, the indices): ReportSites of accesses
  write_element,      // (site, buffer, the number of indices, the indices, the bits that are stored)
  chunk_array,        // (address in elements, elements, dtype): memory that the iterations of a chunk share
  call_numpy_caught,  // as call_numpy; what the function raises is kept, and 1 is given then
  is_caught,          // (the number of a class): whether what was kept is of it
  array_word,         // (buffer, k): of an argument, its address in bytes, then its strides in bytes
  shared_word,        // (k): as result_word, of an array that may be a view
  result_word,    // (k): word k of the results: of a number two words, of an array its address in elements and extents
  objects,        // (HostObjects, two words): of users' classes
  random_source,  // (RandomSource): of NumPy's stream, an address
  table,          // (HostTable, header, words of an entry, whether they hold no addresses): of a dict or a set
  text,           // (HostText, operands): of texts in memory; the address of a header, or a number
  next_random = ir::next_random,      // (function, argument): the bits of what it gives
  mark_arena = ir::mark_arena,        // (): a mark of what small new arrays have taken so far
  release_arena = ir::release_arena,  // (the mark): takes it all back
  draw_python,                        // (PythonDraw, bits): of the stream of Python's module random
  linear_algebra,                     // (LinearAlgebra, arrays; of each dtype, axes, address, extents and strides in
                                      // bytes): see bind/kernel/host/linear_algebra.h; several threads may call it and
                                      // what follows at once
  draw_apart,                         // as draw and draw_normal, of a stream of the running thread's own
  call_address,                       // (address, dtype of the result or no_result, arguments; of each its dtype and
                                      // bits): a function in C
  twister_number = ir::twister_number,  // (words, place, TwisterOwner): the bits of the next number from 0 to 1
  twister_word = ir::twister_word,      // the same: the next word
  normal_source,                        // as random_source, of normal numbers of NumPy's stream
  python_source,                        // as random_source, of the stream of Python's module random
  reduce_row,  // (RowReduction, dtype, the address of the first element, elements, bytes from one to the next, the last
               // two and the first of these of a second row): the bits of a float, or a place
};

/// In place of a dtype: of a function in C that returns nothing.
inline constexpr int64_t no_result = -1;
/// The most arguments of a function in C that is called: integers and pointers, and floats.
inline constexpr size_t most_integers_of_c = 6;
inline constexpr size_t most_floats_of_c = 8;

/// Whose stream of random numbers is drawn from: NumPy's global one, or that of Python's module random.
enum class TwisterOwner : int64_t { numpy, python };

/// What a function asks for once, where it begins: where the words of a stream are, where the place of the next one is,
/// the function that gives a normal number (ir::next_random), and its argument.
enum class RandomSource : int64_t { words, place, normal, argument };

/// Of Python's stream, by a call: a seed.
enum class PythonDraw : int64_t { seed };

/// Routines of BLAS and LAPACK, and sorts, with their arrays, results last.
enum class LinearAlgebra : int64_t {
  product,  // left, right, result
  solve,    // a, b, x
  inverse,
  determinant,      // a, result without axes
  log_determinant,  // a, sign, logarithm
  cholesky,
  qr,                         // a, factors, tau, q
  eigenvalues,                // a, values, vectors
  singular_values,            // a, s
  thin_singular_vectors,      // a, s, u, vh
  singular_vectors,           // the same
  least_squares,              // a, b, x, residuals, s
  eigenvalues_alone,          // a, values
  sort,                       // rows in C order, which are sorted
  order,                      // rows in C order, indices
  partition,                  // rows in C order, places (ascending, distinct), result
  partition_order,            // the same, indices
  general_eigenvalues,        // a, values, vectors; complex
  general_eigenvalues_alone,  // a, values
};

/// What a compiled routine makes of a row of floats, with the bits of the tree of pairwise sums; places of elements of
/// any real dtype.
enum class RowReduction : int64_t {
  sum,
  products,        // of two rows, summed
  variance,        // of float32 and float64
  least_place,     // the first of equal ones, or the first NaN
  greatest_place,  // the same
};

/// In place of a dtype: words of containers and frames, which are counted in words.
inline constexpr int64_t container_words = -1;

static_assert(static_cast<uint32_t>(HostFunction::allocate_zeros) == ir::allocate_zeros);

/// What is asked of objects of users' classes.
enum class HostObjects : int64_t {
  make,         // (the class's number, 0): the address of a new one, in words
  hold_object,  // (address of a word, object): stores it there in place of the one that was there
  hold_array,   // (address of a word, address in bytes): the word keeps the memory there, in place of what it kept
};

/// Numbers that are drawn one at a time.
enum class HostDraw : int64_t {
  uniform,
  exponential,
  normal,
  integer,       // the least, how many more
  distribution,  // (number, three words of doubles), by draw_normal or draw_apart; bind/kernel/host/numpy_stream.cpp:
                 // which
  seed,          // (number), by draw_normal
};

/// What is asked of the tables of dicts and sets.
enum class HostTable : int64_t {
  rebuild,  // without deleted entries, the index as large as those that are there need
  copy,     // the header of a new one with the same entries
  clear,    // without entries
};

/// What is asked of texts in memory.
enum class HostText : int64_t {
  constant,  // (number of an interned text)
  hash,      // (text)
  compare,   // (text, text): -1, 0 or 1
  part,      // (text, lower, upper, step)
  split,     // (text, header of a list)
  number,    // (HostTextOf, bits): the text of a number
  method,    // (number of the method's name, of its result's kind, count of arguments, kind and word of each)
  bytes,     // (number of an interned text): constant bytes
  element,   // (address in bytes, count of characters, bytes of each, whether they are swapped): of an array of texts
  padded,    // (text, count, bytes of each, whether they are swapped): the address of an element's bytes
  code,      // (text): its first character's number
  of_code,   // (number): the text of this character
};

/// How words of operands of HostText::method, and its result, are read.
enum class HostTextOf : int64_t {
  text,
  integer,
  boolean,
  floating,
  list,
  unsigned_integer,
  bytes,
  bytes_list,
  nothing
};

/// Numbers from here on are those of loops whose iterations run on several threads (outline.h).
inline constexpr uint32_t first_part = 64;

}  // namespace tessera::kernel
