"""legate.util.settings: the classes of settings."""

from __future__ import annotations

from typing import Any


class SettingBase:
    """A setting with a name and a value."""

    def __init__(self, name: str, default: Any = None) -> None:
        self.name = name
        self._default = default

    def __call__(self) -> Any:
        """The value."""
        return self._default


class Settings:
    """Settings as attributes."""
