"""
A neural network in 60 lines
============================

Two layers that read scikit-learn's handwritten digits, trained by Adam (D. P. Kingma and J. Ba, 2015), with array expressions alone. Matrix products are the
same BLAS calls as NumPy's; what is between them is fused.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np
from sklearn.datasets import load_digits

digits = load_digits()
images, labels = digits.data / 16, digits.target
order = numpy.random.default_rng(0).permutation(len(images))
train, test = order[:1500], order[1500:]


def train_network(xp, hidden, rounds):
    """Weights after so many rounds over all images at once, and the loss of each round."""
    random = numpy.random.default_rng(1)
    x = xp.asarray(images[train])
    wanted = xp.asarray(numpy.eye(10)[labels[train]])
    sizes = [(64, hidden), (hidden,), (hidden, 10), (10,)]
    weights = [xp.asarray(random.normal(0, 0.1, size)) for size in sizes]
    first, second = ([xp.zeros(size) for size in sizes] for _ in range(2))
    losses = []
    for k in range(1, rounds + 1):
        w1, b1, w2, b2 = weights
        inner = xp.maximum(x @ w1 + b1, 0)
        scores = inner @ w2 + b2
        scores = scores - scores.max(axis=1, keepdims=True)
        chances = xp.exp(scores) / xp.exp(scores).sum(axis=1, keepdims=True)
        losses.append(-(wanted * xp.log(chances + 1e-12)).sum() / len(train))
        error = (chances - wanted) / len(train)
        back = (error @ w2.T) * (inner > 0)
        slopes = [x.T @ back, back.sum(axis=0), inner.T @ error, error.sum(axis=0)]
        first = [0.9 * m + 0.1 * g for m, g in zip(first, slopes, strict=True)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, slopes, strict=True)]
        rate = 0.01 * (1 - 0.999**k) ** 0.5 / (1 - 0.9**k)
        weights = [w - rate * m / (xp.sqrt(v) + 1e-8) for w, m, v in zip(weights, first, second, strict=True)]
    return [numpy.asarray(w) for w in weights], [float(loss) for loss in losses]


def timed(xp):
    """Seconds, weights and losses."""
    start = time.perf_counter()
    weights, losses = train_network(xp, 96, 40)
    return time.perf_counter() - start, weights, losses


timed(np)  # kernels compile
ours, (w1, b1, w2, b2), losses = timed(np)
theirs, _, expected = timed(numpy)
numpy.testing.assert_allclose(losses, expected, rtol=1e-6)
guess = (numpy.maximum(images[test] @ w1 + b1, 0) @ w2 + b2).argmax(axis=1)
print(f"{(guess == labels[test]).mean():.1%} of the {len(test)} other digits are read correctly")
print(f"40 rounds: tessera {ours:.2f} s, NumPy {theirs:.2f} s: {theirs / ours:.1f} times as fast")

# %%

figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", width_ratios=(1, 2))
axes[0].semilogy(losses)
axes[0].set(xlabel="round", title="loss")
shown = numpy.hstack(images[test][:10].reshape(-1, 8, 8))
axes[1].imshow(shown, cmap="gray_r")
axes[1].set_title("read as " + "  ".join(map(str, guess[:10])))
axes[1].axis("off")
plt.show()
