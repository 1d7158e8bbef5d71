"""Denoise and sharpen a photograph: a 3x3 mean and Richardson-Lucy deconvolution by shifted sums.

The photograph is scikit-learn's bundled china.jpg. Deconvolution after W. H. Richardson (1972) and L. B. Lucy (1974).

    python examples/smooth.py --rounds 30
"""

import argparse
import pathlib

import _report
import numpy
import tessera.numpy as np


def load_photograph():
    """china.jpg as float64 in [0, 1], height x width x 3."""
    import sklearn.datasets
    from PIL import Image

    path = pathlib.Path(sklearn.datasets.__file__).parent / "images" / "china.jpg"
    return numpy.asarray(Image.open(path), dtype=numpy.float64) / 255.0


def blur(xp, image):
    """The mean over 3x3 neighbours; the border repeats the edge."""
    padded = xp.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9.0


def sharpen(xp, observed, rounds, label=None):
    """Richardson-Lucy estimate of the image whose blurred form is `observed`."""
    estimate = xp.full(observed.shape, 0.5)
    for _ in _report.progress(rounds, label) if label else range(rounds):
        ratio = observed / xp.maximum(blur(xp, estimate), 1e-6)
        estimate = estimate * blur(xp, ratio)
    return xp.clip(estimate, 0.0, 1.0)


def process(xp, photograph, rounds, label=None):
    """The noisy photograph smoothed, and a blurred one sharpened again."""
    photograph = xp.asarray(photograph)
    noise = xp.random.default_rng(7).normal(0.0, 0.08, photograph.shape)
    denoised = blur(xp, blur(xp, xp.clip(photograph + noise, 0.0, 1.0)))
    blurred = blur(xp, blur(xp, photograph))
    return denoised, blurred, sharpen(xp, blurred, rounds, label)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30, help="rounds of Richardson-Lucy")
    args, _ = parser.parse_known_args()
    photograph = load_photograph()
    process(np, photograph, 2)
    ours = _report.timed(process, np, photograph, args.rounds, "tessera")
    theirs = _report.timed(process, numpy, photograph, args.rounds, "NumPy  ")
    _report.compare(f"smooth {photograph.shape[1]}x{photograph.shape[0]}, {args.rounds} rounds", ours, theirs)

    denoised, blurred, sharpened = ours[1]
    error = lambda image: float(numpy.sqrt(numpy.mean((image - photograph) ** 2)))
    print(f"distance from the photograph (rms): blurred {error(blurred):.4f}, sharpened {error(sharpened):.4f}")
    fig = _report.figure(11, 8)
    for axes, image, title in zip(
        fig.subplots(2, 2).flat,
        (photograph, denoised, blurred, sharpened),
        ("photograph", "noise added, then 3x3 means", "blurred", "blurred, then sharpened"),
    ):
        axes.imshow(numpy.clip(image, 0, 1))
        axes.set_title(title)
        axes.axis("off")
    _report.save(fig, "smooth.png")


if __name__ == "__main__":
    main()
