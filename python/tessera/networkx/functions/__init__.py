"""The functions that run natively, with NetworkX's signatures, one module a topic; `tessera.networkx.table` lists them."""
