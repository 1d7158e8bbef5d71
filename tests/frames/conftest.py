import pytest
from tessera.pandas import report, settings


@pytest.fixture(autouse=True)
def every_frame_is_large(monkeypatch):
    """Small frames run natively, too; nothing is counted yet."""
    monkeypatch.setattr(settings, "native_rows", 1)
    report.reset()
