"""Random kernels whose threads meet have the same bits interpreted, compiled for the cores and on the device."""

import pytest
import random_threads


@pytest.mark.parametrize("first", range(0, 24, 6))
def test_bits(first, device):
    for seed in range(first, first + 6):
        text, threads = random_threads.write(seed)
        expected = random_threads.run(text, threads, "cpu", "never")
        assert random_threads.run(text, threads, "cpu", "before_full") == expected, text
        assert random_threads.run(text, threads, device) == expected, text
