"""The data frame backend that Dask finds by its entry point: partitions are frames of tessera.pandas."""

from __future__ import annotations

from typing import Any

from dask import config
from dask.dataframe.dask_expr import _backends
from dask.dataframe.dispatch import to_pandas_dispatch


def to_tessera(partition: Any) -> Any:
    """The partition as one of our classes; an index stays as it is."""
    from tessera.pandas.calls import adopt  # as late as here: programs without frames don't wait for it

    return adopt(to_pandas_dispatch(partition).copy(deep=False))


def _created(name: str) -> Any:
    """Dask's own creation of this name, with our partitions."""

    def create(*args: Any, **kwargs: Any) -> Any:
        import dask.dataframe

        with config.set({"dataframe.backend": "pandas"}):
            collection = getattr(dask.dataframe, name)(*args, **kwargs)
        return TesseraFrameBackend.to_backend(collection)

    create.__name__ = name
    return staticmethod(create)


class TesseraFrameBackend(_backends.DataFrameBackendEntrypoint):
    """What `dask.config.set({"dataframe.backend": "tessera"})` chooses."""

    from_dict = _created("from_dict")
    read_parquet = _created("read_parquet")
    read_json = _created("read_json")
    read_orc = _created("read_orc")
    read_csv = _created("read_csv")
    read_hdf = _created("read_hdf")

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that makes a partition ours."""
        return to_tessera

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        """The same collection with our partitions."""
        if type(data._meta).__module__.startswith("tessera."):
            return data
        return data.map_partitions(to_tessera, meta=to_tessera(data._meta), **kwargs)


def register() -> None:
    """Register with `dask.dataframe`, for programs in which tessera is not installed but imported."""
    _backends.dataframe_creation_dispatch.register_backend("tessera", TesseraFrameBackend())
