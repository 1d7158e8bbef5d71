"""cupynumeric.settings: which settings there are, none of which is needed here."""

from __future__ import annotations

from tessera.legate.util.settings import Settings

settings = Settings()
