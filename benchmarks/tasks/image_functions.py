"""Codes and features of images on one thread, beside plain numpy formulations of the same numbers; the distance field
at growing sizes, whose time should grow like the pixels."""

import json
import pathlib
import sys
import tempfile

import numpy

from benchmarks.measuring import best_of, in_fresh_process, printed_by
from experiments.lib.bars import Figure

SIDE, IMAGES, PLAIN_IMAGES, REPEATS = 28, 2_000, 200, 5


def simulate(side, images):
    """Textured ellipses on black: about half of the pixels are dark, as in digits and garments."""
    chance = numpy.random.default_rng(side)
    y, x = (numpy.mgrid[0:side, 0:side] + 0.5) / side - 0.5
    places = chance.uniform(-0.1, 0.1, (2, images, 1, 1))
    widths = chance.uniform(0.2, 0.45, (2, images, 1, 1))
    inside = 1 - ((y - places[0]) / widths[0]) ** 2 - ((x - places[1]) / widths[1]) ** 2
    value = 300 * inside + chance.uniform(-40, 40, (images, side, side))
    return numpy.clip(value, 0, 255).astype(numpy.uint8)


def code_numpy(x):
    """The code of images in [0, 1], the distance of every pixel to every crossing included."""
    k = numpy.arange(SIDE)
    cosines = numpy.sqrt(2 / SIDE) * numpy.cos(numpy.pi * (k + 0.5) * k[:, None] / SIDE)
    cosines[0] /= numpy.sqrt(2)
    frequency = k[:, None] + k
    weight = numpy.sqrt(1 + frequency / 4)
    distances = numpy.stack([distances_numpy(image) for image in x])
    pixels = weight * (cosines @ x @ cosines.T)
    outline = 0.5 * weight * (cosines @ (distances / 4) @ cosines.T)
    return numpy.concatenate([pixels[:, frequency < 24], outline[:, frequency < 14]], axis=1)


def distances_numpy(image):
    height = image - 0.05
    inside = height > 0
    crossings = []
    for turned in (False, True):
        h, s = (height.T, inside.T) if turned else (height, inside)
        row, column = numpy.nonzero(s[1:] != s[:-1])
        place = row + h[row, column] / (h[row, column] - h[row + 1, column])
        crossings.append((column, place) if turned else (place, column))
    y, x = (numpy.concatenate(parts) for parts in zip(*crossings))
    r, c = numpy.mgrid[0:SIDE, 0:SIDE]
    nearest = numpy.sqrt((r[..., None] - y) ** 2 + (c[..., None] - x) ** 2).min(axis=2, initial=4)
    return numpy.where(inside, -nearest, nearest)


def blur_numpy(x, sigma):
    radius = int(3 * sigma + 0.5)
    weights = numpy.exp(-(numpy.arange(-radius, radius + 1) ** 2) / (2 * sigma**2))
    band = sum(w * numpy.eye(SIDE, k=i - radius) for i, w in enumerate(weights / weights.sum()))
    return band @ x @ band.T


def means_numpy(x, margin):
    """Means over windows of 4 pixels and `margin` more at each end, without what lies outside."""
    cell = numpy.arange(7)[:, None] * 4
    pixel = numpy.arange(SIDE)
    window = ((pixel >= cell - margin) & (pixel < cell + 4 + margin)).astype(float)
    window /= window.sum(axis=1, keepdims=True)
    return window @ x @ window.T


def unit(x):
    return x / numpy.linalg.norm(x.reshape(len(x), -1), axis=1).reshape(-1, *[1] * (x.ndim - 1))


def histogram_numpy(x, sigma, margin):
    padded = numpy.pad(blur_numpy(x, sigma), ((0, 0), (1, 1), (1, 1)), mode="edge")
    right, down = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2], padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    length = numpy.sqrt(right**2 + down**2 + 1e-12)
    turn = numpy.where(length > 0.002, numpy.arctan2(down, right), 0) * 4 / numpy.pi % 8
    directions = numpy.arange(8).reshape(-1, 1, 1, 1)
    apart = numpy.abs(turn - directions)
    shares = numpy.maximum(0, 1 - numpy.minimum(apart, 8 - apart))
    cells = means_numpy(length * shares, margin)
    energy = numpy.pad((cells**2).sum(axis=0), ((0, 0), (1, 1), (1, 1)))
    around = sum(energy[:, i : i + 7, j : j + 7] for i in range(3) for j in range(3)) / 9
    return unit(numpy.moveaxis(numpy.minimum(cells / numpy.sqrt(around + 1e-3), 0.6), 0, -1)), length


def features_numpy(x):
    fine, _ = histogram_numpy(x, 0.7, 1)
    coarse, length = histogram_numpy(x, 1.5, 2)
    dense, _ = histogram_numpy(length, 1.0, 2)
    means = unit(x.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)))
    return numpy.concatenate([part.reshape(len(x), -1) for part in (fine, coarse, dense, means)], axis=1) / 2


def plain(folder):
    """Seconds an image of the plain formulations, after their numbers have been compared with ours."""
    pixels = numpy.fromfile(folder / "pixels", dtype=numpy.uint8).reshape(-1, SIDE, SIDE)[:PLAIN_IMAGES]
    x = pixels / 255
    codes = numpy.fromfile(folder / "results", count=PLAIN_IMAGES * 405).reshape(-1, 405)
    if not numpy.abs(code_numpy(x) - codes).max() < 1e-11:
        raise SystemExit("the codes differ")
    place = IMAGES * (8 * 405 + 4 * SIDE**2)
    found = numpy.fromfile(folder / "results", dtype=numpy.float32, count=PLAIN_IMAGES * 1372, offset=place)
    if not numpy.abs(features_numpy(x) - found.reshape(-1, 1372)).max() < 1e-6:
        raise SystemExit("the features differ")
    return {
        "encode": best_of(2, lambda: code_numpy(x)) / PLAIN_IMAGES,
        "features": best_of(2, lambda: features_numpy(x)) / PLAIN_IMAGES,
    }


def ours(folder, side, images):
    """Seconds an image of each function."""
    simulate(side, images).tofile(folder / "pixels")
    (folder / "results").unlink(missing_ok=True)
    found = printed_by(
        "image_functions_benchmark", folder / "pixels", images, side, side, 1, REPEATS, folder / "results"
    )
    return {name: found[name] / images for name in ("encode", "distances", "decode", "features", "diversify")}


def run():
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        seconds = ours(folder, SIDE, IMAGES)
        compared = in_fresh_process("image_functions", folder)
        for function, value in seconds.items():
            figures.append(Figure(f"{function}, {SIDE} x {SIDE} grey, 1 thread", 1e6 * value, "us an image"))
        for function, value in compared.items():
            ratio = value / seconds[function]
            figures += [
                Figure(f"{function}, plain numpy", 1e6 * value, "us an image"),
                Figure(f"{function}, ratio to numpy", ratio, "x", at_least=10, only_idle=True),
            ]
        large = ours(folder, 64, IMAGES // 4)
        growth = large["distances"] / 64**2 / (seconds["distances"] / SIDE**2)
        figures.append(
            Figure("distances, time a pixel at 64 x 64 over that at 28 x 28", growth, "x", at_most=1.5, only_idle=True)
        )
    return figures


if __name__ == "__main__":
    print(json.dumps(plain(pathlib.Path(sys.argv[1]))))
