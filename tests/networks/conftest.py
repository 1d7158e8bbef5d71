"""The entry points of a checkout: `make build` writes them beside the package; without them the backend is registered here."""

import networkx as nx
import pytest


def pytest_configure(config):
    if "tessera" not in nx.config.backends:
        pytest.exit("networkx does not find the backend tessera: run tools/write_metadata.py", 3)


@pytest.fixture(autouse=True)
def quiet_cache():
    """NetworkX warns whenever it uses a conversion that it kept."""
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.clear()
    nx.config.warnings_to_ignore.update(before)
