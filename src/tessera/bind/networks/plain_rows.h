/// Reads the rows of a graph's dictionaries on all threads, where all objects in them are Python's own.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

#include "tessera/bind/networks/column_reader.h"
#include "tessera/bind/networks/plain_labels.h"

namespace tessera::bind::networks {

/// Fills the targets of `graph`, whose offsets are there, and adds a column for each reader. The caller holds the
/// interpreter's lock, so nothing changes meanwhile: threads look at objects, but neither own them nor run code of
/// their classes. False, with no column added, where an object is of another kind.
bool read_plain_rows(std::span<PyObject* const> rows, const PlainLabels& labels, Csr& graph,
                     std::vector<ColumnReader>& readers, std::vector<Column>& columns);

}  // namespace tessera::bind::networks
