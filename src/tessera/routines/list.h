/// The functions that add routines to the table, one a folder.
#pragma once

namespace tessera::routines {

class Table;

void add_at(Table& table);
void add_bins(Table& table);
void add_correlate(Table& table);
void add_extreme(Table& table);
void add_fft(Table& table);
void add_index_draw(Table& table);
void add_interpolate(Table& table);
void add_linalg(Table& table);
void add_moments(Table& table);
void add_neighbours(Table& table);
void add_network_components(Table& table);
void add_network_ranks(Table& table);
void add_network_searches(Table& table);
void add_network_structure(Table& table);
void add_partition(Table& table);
void add_product(Table& table);
void add_repeat(Table& table);
void add_rows(Table& table);
void add_scan(Table& table);
void add_scatter(Table& table);
void add_search(Table& table);
void add_select(Table& table);
void add_sort(Table& table);
void add_stream_draw(Table& table);
void add_take(Table& table);

}  // namespace tessera::routines
