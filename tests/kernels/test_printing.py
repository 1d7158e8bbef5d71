"""print in kernels: lines that the host writes at its next wait."""

import subprocess
import sys

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import cuda, errors

GREETING = "hello"


def printed(capsys, kernel, configuration, *arguments):
    kernel[configuration](*arguments)
    cuda.synchronize()
    return capsys.readouterr().out


def test_values_as_numba_writes_them(capsys):
    @cuda.jit
    def kernel(a, n, flag, wide):
        print(GREETING, "a[0] =", a[0], n, flag, wide, a[0] > 1, np.float32(0.1), -3, 2.5e-7)

    a = tnp.array([1.5])
    text = printed(capsys, kernel, (1, 1), a, 7, True, np.uint64(2**64 - 1))
    assert text == f"hello a[0] = 1.500000 7 True {2**64 - 1} True 0.100000 -3 0.000000\n"


def test_complex_numbers_and_texts_that_are_chosen(capsys):
    @cuda.jit
    def kernel(z, n):
        print(z, (n, "it's", z), "few" if n < 3 else "many")

    for n, word in ((2, "few"), (5, "many")):
        assert printed(capsys, kernel, (1, 1), 1 + 2.5j, n) == f"""(1+2.5j) ({n}, "it's", (1+2.5j)) {word}\n"""


def test_each_thread_prints(capsys):
    @cuda.jit
    def kernel():
        i = cuda.grid(1)
        if i % 2 == 1:
            print("thread", i)
        print()

    lines = printed(capsys, kernel, (4, 32)).splitlines()
    assert sorted(lines) == sorted([f"thread {i}" for i in range(1, 128, 2)] + [""] * 128)


def test_a_threads_own_lines_keep_their_order(capsys):
    @cuda.jit
    def kernel(n):
        for k in range(n):
            print(k, cuda.threadIdx.x)

    for n in (3, 5):
        lines = printed(capsys, kernel, (1, 2), n).splitlines()
        for thread in range(2):
            assert [line for line in lines if line.endswith(f" {thread}")] == [f"{k} {thread}" for k in range(n)]


def test_launches_print_one_after_the_other(capsys):
    @cuda.jit
    def kernel(n):
        print(n)

    for n in range(4):
        kernel[1, 1](n)
    assert capsys.readouterr().out == ""
    cuda.synchronize()
    assert capsys.readouterr().out == "0\n1\n2\n3\n"


def test_reads_print(capsys):
    @cuda.jit
    def kernel(a):
        a[0] = 3
        print("set")

    a = cuda.to_device(np.zeros(1))
    kernel[1, 1](a)
    assert a.copy_to_host()[0] == 3
    assert capsys.readouterr().out == "set\n"
    kernel[1, 1](np.zeros(1))
    assert capsys.readouterr().out == "set\n"


def test_too_many_lines_are_said(capsys):
    @cuda.jit
    def kernel():
        print("i", cuda.grid(1))

    lines = printed(capsys, kernel, (400, 256)).splitlines()
    assert len(lines) == 65537
    assert "some are not printed" in lines[-1]
    seen = {int(line.split()[1]) for line in lines[:-1]}
    assert len(seen) == 65536
    assert printed(capsys, kernel, (1, 2)).splitlines() == ["i 0", "i 1"]


def test_lines_before_a_failure(capsys):
    @cuda.jit
    def kernel():
        print("before")
        raise ValueError("after")

    kernel[1, 1]()
    with pytest.raises(ValueError, match="after"):
        cuda.synchronize()
    assert capsys.readouterr().out == "before\n"


def test_device_functions_print(capsys):
    @cuda.jit(device=True)
    def tell(x):
        print("x is", x)
        return x

    @cuda.jit
    def kernel(a):
        a[0] = tell(4) + tell(2.5)

    assert printed(capsys, kernel, (1, 1), tnp.zeros(1)) == "x is 4\nx is 2.500000\n"


def test_lines_and_failures_at_the_end_of_the_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
from tessera import cuda

@cuda.jit
def kernel(n):
    print("n is", n)
    assert n < 3, "too large"

kernel[1, 1](2)
kernel[1, 1](3)
print("done")
""")
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert ended.stdout == "done\nn is 2\nn is 3\n"
    assert "AssertionError" in ended.stderr and "too large" in ended.stderr


@pytest.mark.parametrize(
    ("body", "words"),
    [("print(a)", "array(float64, 1d)"), ("print(1, end='')", "no named arguments")],
)
def test_what_is_not_printed(body, words):
    source = f"def kernel(a):\n    {body}\n"
    names = {}
    exec(source, names)
    with pytest.raises((errors.UnsupportedError, errors.TypingError)) as caught:
        cuda.jit(source=source)(names["kernel"])[1, 1](np.zeros(3))
    assert words in str(caught.value)
