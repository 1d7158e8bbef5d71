"""legate.util: what benchmarks for Legate use."""
