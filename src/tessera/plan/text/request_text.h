/// Requests as text, one node a line, so that passes are tested text in, text out. A printed request that is parsed has
/// the same plan, and prints as the same text.
///
///   %a = array float64[100,200]                          an array that existed before
///   %row = array float64[200] dead                       another one, which nobody needs afterwards
///   %0 = add %a, %row : float64[100,200] dead            a temporary; %row is broadcast
///   %1 = multiply %0, 0.5 : float64[100,200]
///   %2 = write %a, %1@1608(1600,8) : float64[98,198]@1608(1600,8)   the version of %a after a[1:99, 1:199] = ...
///   %3 = reduce add %2 along 1 : float64[100,200]        a sum of rows: the shape is that of the operand
///
///   line     %NAME = array TYPE [foreign] [dead]
///            %NAME = OP[.LOOP][#RESULT] OPERAND, ... : TYPE [events EVENT...] [starts_iteration] [dead]
///            %NAME = write %OLD, OPERAND : TYPE [events EVENT...] [pinned] [starts_iteration] [dead]
///            %NAME = reduce KIND OPERAND along AXIS... : TYPE [events EVENT...] [starts_iteration] [dead]
///   OPERAND  [DTYPE] %NAME[@OFFSET][(STRIDE,...)]  or  [DTYPE] NUMBER, true, false, (REAL,IMAGINARY)
///   TYPE     DTYPE[EXTENT,...][@OFFSET][(STRIDE,...)] [of N bytes]
///
/// Offsets and strides are in bytes. Left out, they are those of the whole array, broadcast to the node's shape, and
/// dense for new results; a LOOP (numpy.add.types) is the first that takes the operands, and DTYPE the array's or the
/// loop's. Every version is needed after the request unless it is `dead`. A `#` after a blank begins a comment.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/plan/request.h"

namespace tessera::plan {

/// A request with the window that its nodes are in.
struct ParsedRequest {
  std::unique_ptr<graph::Window> window;
  std::vector<Ref<graph::Version>> alive;  // what is needed afterwards
  Request request;
};

/// Throws ValueError with line and column.
ParsedRequest parse_request(std::string_view text);
/// The request as text: arrays are %a0, %a1, ..., nodes %0, %1, ...
std::string print(const Request& request);

}  // namespace tessera::plan
