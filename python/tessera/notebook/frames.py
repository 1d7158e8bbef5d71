"""The IPython extension `%load_ext tessera.pandas`: pandas in later cells means tessera.pandas."""

from __future__ import annotations

import sys
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class

from tessera.cli import redirect
from tessera.notebook.magics import Redirection


@magics_class
class PandasMagics(Magics):
    """%pandas_report."""

    redirection: Redirection | None = None

    @line_magic
    def pandas_report(self, line: str) -> None:
        """Lists for each method of pandas how often it ran natively or in pandas, why, and from which lines;
        `%pandas_report reset` starts anew."""
        from tessera.pandas import report

        if line.strip() not in ("", "reset"):
            raise ValueError(f"%pandas_report {line}: write %pandas_report, or %pandas_report reset")
        if line.strip():
            report.reset()
        else:
            report.write(sys.stdout)

    def start(self) -> None:
        """Redirects imports in later cells; names that mean pandas already mean tessera.pandas from now on."""
        import pandas

        import tessera.pandas

        redirect.replace("pandas")
        self.redirection = Redirection("pandas")
        self.shell.ast_transformers.append(self.redirection)
        self._rename(pandas, tessera.pandas)

    def stop(self) -> None:
        """Ends the redirection."""
        import pandas

        import tessera.pandas

        if self.redirection is not None:
            self.shell.ast_transformers.remove(self.redirection)
            self.redirection = None
            self._rename(tessera.pandas, pandas)

    def _rename(self, old: Any, new: Any) -> None:
        for name, value in list(self.shell.user_ns.items()):
            if value is old:
                self.shell.user_ns[name] = new


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tessera.pandas`."""
    magics = PandasMagics(shell)
    magics.start()
    shell.register_magics(magics)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext tessera.pandas`."""
    found = shell.magics_manager.magics["line"].pop("pandas_report", None)
    owner = getattr(found, "__self__", None)
    if owner is not None:
        owner.stop()
