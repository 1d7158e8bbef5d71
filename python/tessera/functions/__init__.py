"""Functions in Python that are compiled: what `tessera.cuda`, `tessera.jit` and their like share."""
