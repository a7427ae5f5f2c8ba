"""The two small networks of method images' prototype, as it trained them (method-images.md, table 1): softmax regression
and one hidden layer of 100, ten passes of Adam under a one-cycle schedule. The last step counts; nothing is chosen.

In numpy: a network of the program needs no torch, and neither does its comparison. The starting weights, the schedule
and the optimiser are those of torch's Linear, OneCycleLR and Adam.
"""

import dataclasses
import math

import numpy as np

PASSES = 10
RISING = 0.2  # the part of the steps in which the rate rises
RISE, FALL = 25, 1e4  # the first rate is a 25th of the largest, the last another ten-thousandth of the first
SLOW, FAST = 0.95, 0.85  # Adam's momentum at small and at large rates
SECOND_MOMENT, TINY = 0.999, 1e-8


@dataclasses.dataclass(frozen=True)
class SmallNetwork:
    hidden: tuple  # units of the layers between pixels and classes
    batch: int
    rate: float


SMALL_NETWORKS = {
    "softmax_regression": SmallNetwork((), 512, 2e-3),
    "mlp": SmallNetwork((100,), 256, 3e-3),
}


def between(start, end, part):
    """Along half a cosine."""
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))


def schedule(step, steps, rate):
    """Learning rate and momentum of a step, from 0."""
    turn = RISING * steps - 1
    if step <= turn:
        part = step / turn
        return between(rate / RISE, rate, part), between(SLOW, FAST, part)
    part = (step - turn) / (steps - 1 - turn)
    return between(rate, rate / RISE / FALL, part), between(FAST, SLOW, part)


class Layers:
    """Dense layers with rectifiers between them, and their optimiser."""

    def __init__(self, widths, random):
        self.weights = []
        for inputs, outputs in zip(widths, widths[1:]):
            limit = 1 / math.sqrt(inputs)
            self.weights += [random.uniform(-limit, limit, shape) for shape in ((inputs, outputs), (outputs,))]
        self.weights = [numbers.astype(np.float32) for numbers in self.weights]
        self.first = [np.zeros_like(numbers) for numbers in self.weights]
        self.second = [np.zeros_like(numbers) for numbers in self.weights]
        self.steps = 0

    def forward(self, rows):
        """What each layer takes, and the scores of the classes."""
        taken = [rows]
        for place in range(0, len(self.weights), 2):
            scores = taken[-1] @ self.weights[place] + self.weights[place + 1]
            if place + 2 == len(self.weights):
                return taken, scores
            taken.append(np.maximum(scores, 0))

    def gradient(self, rows, classes):
        """Of the mean cross entropy, by the weights."""
        taken, scores = self.forward(rows)
        slopes = np.exp(scores - scores.max(axis=1, keepdims=True))
        slopes /= slopes.sum(axis=1, keepdims=True)
        slopes[np.arange(len(classes)), classes] -= 1
        slopes /= len(classes)
        found = []
        for place in reversed(range(0, len(self.weights), 2)):
            inputs = taken[place // 2]
            found[:0] = [inputs.T @ slopes, slopes.sum(axis=0)]
            if place:
                slopes = (slopes @ self.weights[place].T) * (inputs > 0)
        return found

    def step(self, gradient, rate, momentum):
        self.steps += 1
        held_first, held_second = 1 - momentum**self.steps, 1 - SECOND_MOMENT**self.steps
        for numbers, slopes, first, second in zip(self.weights, gradient, self.first, self.second):
            first += (1 - momentum) * (slopes - first)
            second += (1 - SECOND_MOMENT) * (slopes * slopes - second)
            numbers -= rate / held_first * first / (np.sqrt(second / held_second) + TINY)


def accuracy(network, train, test, classes, seed):
    """Of a network on test images. train, test: (pixels in [0, 1], one row an image; classes from 0)."""
    random = np.random.default_rng(seed)
    pixels, labels = train
    layers = Layers((pixels.shape[1], *network.hidden, classes), random)
    batches = len(pixels) // network.batch
    steps = PASSES * batches
    for step in range(steps):
        if step % batches == 0:
            order = random.permutation(len(pixels))
        chosen = order[step % batches * network.batch :][: network.batch]
        layers.step(layers.gradient(pixels[chosen], labels[chosen]), *schedule(step, steps, network.rate))
    return float(np.mean(layers.forward(test[0])[1].argmax(axis=1) == test[1]))
