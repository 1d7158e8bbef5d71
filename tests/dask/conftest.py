import pytest


def pytest_collection_modifyitems(items):
    for item in items:  # what could not be registered is a failure
        item.add_marker(pytest.mark.filterwarnings("error:tessera could not join"))
