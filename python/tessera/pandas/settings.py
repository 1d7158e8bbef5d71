"""What decides whether a call runs natively."""

from __future__ import annotations

import os

# Frames with fewer rows run in pandas, and are not counted: what a native call costs beside its work is more there.
native_rows = max(1, int(os.environ.get("TESSERA_PANDAS_ROWS", "2000")))  # no rows are left to pandas
