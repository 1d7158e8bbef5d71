"""The IPython extension: `%load_ext tessera`."""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from tessera.cli import redirect


class Redirection(ast.NodeTransformer):
    """Lets the imports of a library in a cell mean tessera's module: numpy or pandas."""

    def __init__(self, library: str) -> None:
        self.library = library

    def visit_Import(self, node: ast.Import) -> Any:
        return [self._one(node, alias) for alias in node.names]

    def _one(self, node: ast.Import, alias: ast.alias) -> ast.stmt:
        if alias.name.partition(".")[0] != self.library:
            return ast.copy_location(ast.Import([alias]), node)
        whole = alias.asname is not None and "." in alias.name
        value = ast.Call(
            ast.Attribute(self._redirect(), "redirected_import", ast.Load()),
            [ast.Constant(alias.name)],
            [ast.keyword("fromlist", ast.Tuple([ast.Constant("*")], ast.Load()))] if whole else [],
        )
        name = alias.asname or self.library
        made = ast.Assign([ast.Name(name, ast.Store())], value)
        return ast.fix_missing_locations(ast.copy_location(made, node))

    @staticmethod
    def _redirect() -> ast.expr:
        module = ast.Call(ast.Name("__import__", ast.Load()), [ast.Constant("tessera.cli.redirect")], [])
        return ast.Attribute(ast.Attribute(module, "cli", ast.Load()), "redirect", ast.Load())

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.level == 0 and node.module and node.module.partition(".")[0] == self.library:
            node.module = "tessera." + node.module
        return node


@magics_class
class TesseraMagics(Magics):
    """%tessera, %tessera_doctor, %tessera_explain, %%tessera_graph."""

    redirection: Redirection | None = None

    @line_magic
    def tessera(self, line: str) -> None:
        """`%tessera numpy`: `import numpy` in later cells means tessera.numpy; `%tessera numpy off` ends that."""
        words = line.split()
        if words not in (["numpy"], ["numpy", "off"]):
            raise ValueError(f"%tessera {line}: write %tessera numpy, or %tessera numpy off")
        known = self.shell.ast_transformers
        if words == ["numpy"] and self.redirection is None:
            redirect.replace("numpy")
            self.redirection = Redirection("numpy")
            known.append(self.redirection)
        elif words == ["numpy", "off"]:
            self.stop()

    def stop(self) -> None:
        """Ends the redirection."""
        if self.redirection is not None:
            self.shell.ast_transformers.remove(self.redirection)
            self.redirection = None

    @line_magic
    def tessera_doctor(self, line: str) -> None:
        """Checks this installation, as `tessera doctor` does."""
        from tessera.cli.doctor import doctor

        doctor(as_json=line.strip() == "--json")

    @cell_magic
    def tessera_graph(self, line: str, cell: str) -> Any:
        """Runs the cell and shows what ran as a graph: of operations, or with `%%tessera_graph event` of times."""
        from IPython.display import HTML

        from tessera.graphs import graph, render

        kind = line.strip() or "dataflow"
        if kind not in ("dataflow", "event"):
            raise ValueError(f"%%tessera_graph {line}: there are dataflow and event")
        with graph() as traced:
            done = self.shell.run_cell(cell)
        if not done.success:
            return None  # its error is shown
        return HTML(render.svg_for_page(traced.event() if kind == "event" else traced.dataflow()))

    @cell_magic
    def tessera_explain(self, line: str, cell: str) -> None:
        """Runs the cell and says, line by line, where its work ran and why."""
        from tessera.graphs import explain

        with explain() as told:
            self.shell.run_cell(cell)
        print(told)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tessera`."""
    shell.register_magics(TesseraMagics(shell))


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext tessera`."""
    for name in ("tessera", "tessera_doctor"):
        found = shell.magics_manager.magics["line"].pop(name, None)
        owner = getattr(found, "__self__", None)
        if owner is not None:
            owner.stop()
    for name in ("tessera_graph", "tessera_explain"):
        shell.magics_manager.magics["cell"].pop(name, None)
