"""Product blocks beside plain formulations: loss and gradient of generated records, exact sums of private ones."""

import json
import pathlib
import sys
import tempfile

import numpy

from benchmarks.machine import Machine
from benchmarks.measuring import best_of, in_fresh_process, plain_libraries, printed_by
from experiments.lib.bars import Figure

LENGTH_SCALE = 0.15
LOSSES = ({"rows": 4884, "columns": 5, "order": 10}, {"rows": 1994, "columns": 7, "order": 5})
SUMS = {"rows": 48_842, "columns": 5, "order": 10}
# Plain formulations hold every record's features: they get a share of the rows, and their time counts so many times.
PLAIN_SHARE = 10
LOSS_REPEATS, SUM_REPEATS, PLAIN_REPEATS = 60, 10, 2


class PlainNumpy:
    """The formulas as they are written, one array operation each."""

    def __init__(self, columns, order, rho, scale):
        self.columns, self.order, self.rho, self.scale = columns, order, rho, scale

    def maps(self, values):
        """phi_0 .. phi_order of every column: [columns][rows][order + 1]."""
        rho, z = self.rho, self.scale * values
        phi = [(1 - rho**2) ** 0.25 * numpy.exp(-rho / (1 + rho) * z**2)]
        phi.append((2 * rho) ** 0.5 * z * phi[0])
        for k in range(1, self.order):
            phi.append((2 * rho / (k + 1)) ** 0.5 * z * phi[k] - rho * (k / (k + 1)) ** 0.5 * phi[k - 1])
        return numpy.stack(phi, axis=-1)

    def products(self, maps):
        """The tensor products of the first one, two, .. columns' features: [rows][(order + 1)^columns] each."""
        products = [maps[0]]
        for phi in maps[1:]:
            products.append(numpy.einsum("ni,nj->nij", products[-1], phi).reshape(len(phi), -1))
        return products

    def sums(self, values):
        return self.products(self.maps(values))[-1].sum(axis=0)

    def loss(self, values, targets, records):
        """The mean of r1 r2, r1 and r2 the residuals of half the rows each, and its gradient by the values."""
        half = values.shape[1] // 2
        factor = records / half
        parts = [values[:, :half], values[:, half:]]
        maps = [self.maps(part) for part in parts]
        products = [self.products(part) for part in maps]
        residuals = [targets - factor * part[-1].sum(axis=0) for part in products]
        gradients = []
        for part, phi, product, weights in zip(parts, maps, products, residuals[::-1]):
            above = numpy.tile(weights * values.dtype.type(-factor / targets.size), (half, 1))
            by_maps = []
            for column in reversed(range(1, self.columns)):
                above = above.reshape(half, -1, self.order + 1)
                by_maps.insert(0, numpy.einsum("nij,ni->nj", above, product[column - 1]))
                above = numpy.einsum("nij,nj->ni", above, phi[column])
            slopes = -2 * self.rho / (1 + self.rho) * (self.scale * part)[:, :, None] * phi
            slopes[:, :, 1:] += numpy.sqrt(2 * self.rho * numpy.arange(1, self.order + 1)) * phi[:, :, :-1]
            gradients.append(self.scale * (slopes * numpy.stack([above, *by_maps])).sum(axis=2))
        return float((residuals[0] * residuals[1]).mean()), numpy.concatenate(gradients, axis=1)


class PlainTorch:
    """The same with automatic derivatives."""

    def __init__(self, columns, order, rho, scale):
        import torch

        torch.set_num_threads(1)
        self.torch, self.order, self.rho, self.scale = torch, order, rho, scale

    def products(self, values):
        """Every record's features: [rows][(order + 1)^columns]."""
        torch, rho, z = self.torch, self.rho, self.scale * values
        phi = [(1 - rho**2) ** 0.25 * torch.exp(-rho / (1 + rho) * z**2)]
        phi.append((2 * rho) ** 0.5 * z * phi[0])
        for k in range(1, self.order):
            phi.append((2 * rho / (k + 1)) ** 0.5 * z * phi[k] - rho * (k / (k + 1)) ** 0.5 * phi[k - 1])
        maps = torch.stack(phi, dim=-1)
        product = maps[0]
        for column in maps[1:]:
            product = torch.einsum("ni,nj->nij", product, column).reshape(len(column), -1)
        return product

    def sums(self, values):
        with self.torch.no_grad():
            return self.products(self.torch.from_numpy(values)).sum(dim=0).numpy()

    def loss(self, values, targets, records):
        half = values.shape[1] // 2
        tensor = self.torch.from_numpy(values).requires_grad_()
        first, second = (
            self.torch.from_numpy(targets) - records / half * self.products(part).sum(dim=0)
            for part in (tensor[:, :half], tensor[:, half:])
        )
        loss = (first * second).mean()
        loss.backward()
        return loss.item(), tensor.grad.numpy()


PLAIN = {"numpy": PlainNumpy, "torch": PlainTorch}


def plain_loss(library, folder, sizes):
    """Seconds of a plain formulation, once our loss and gradient of the same rows have been compared with it."""
    constants = json.loads((folder / "constants.json").read_text())
    values, targets, gradient = (
        numpy.fromfile(folder / name, dtype=numpy.float32) for name in ("values", "targets", "gradient")
    )
    values, gradient = (part.reshape(sizes["columns"], -1) for part in (values, gradient))
    plain = PLAIN[library](sizes["columns"], sizes["order"], constants["rho"], constants["scale"])
    loss, slopes = plain.loss(values, targets, constants["records"])
    differences = {
        "loss": abs(constants["loss"] / loss - 1),
        "gradient": float(numpy.linalg.norm(gradient - slopes) / numpy.linalg.norm(slopes)),
    }
    for what, difference in differences.items():
        if not difference <= 1e-4:
            raise SystemExit(f"{library}: the {what} differs by {difference:.2g} of its size")
    return best_of(PLAIN_REPEATS, lambda: plain.loss(values, targets, constants["records"]))


def plain_sums(library, folder, sizes):
    """Seconds of a plain formulation in single and in double precision, after the sums have been compared."""
    constants = json.loads((folder / "constants.json").read_text())
    values = numpy.fromfile(folder / "values").reshape(sizes["columns"], -1)
    exact = numpy.fromfile(folder / "sums", dtype=numpy.int64) / 2**34
    plain = PLAIN[library](sizes["columns"], sizes["order"], constants["rho"], constants["scale"])
    rows = values.shape[1]
    seconds = {}
    for dtype in (numpy.float32, numpy.float64):
        parts = [numpy.ascontiguousarray(part.astype(dtype)) for part in numpy.array_split(values, PLAIN_SHARE, axis=1)]
        difference = numpy.abs(sum(map(plain.sums, parts)) - exact).max()
        # Ours are rounded: each factor by at most 2^-18, independently of the other records.
        if not difference <= 2**-15 * rows**0.5:
            raise SystemExit(f"{library}: the sums differ by {difference:.2g}")
        seconds[numpy.dtype(dtype).name] = best_of(PLAIN_REPEATS, lambda parts=parts: sum(map(plain.sums, parts)))
    return seconds


def our_loss(folder, rows, columns, order, threads, repeats):
    folder.mkdir()
    printed = printed_by("product_loss_benchmark", folder, rows, columns, order, LENGTH_SCALE, threads, repeats)
    (folder / "constants.json").write_text(json.dumps(printed))
    return printed


def loss_figures(machine, sizes, folder):
    words = f"product loss, order {sizes['order']} on {sizes['columns']} columns"
    plain_rows = sizes["rows"] // PLAIN_SHARE // 2 * 2
    our_loss(folder / "plain", **sizes | {"rows": plain_rows}, threads=1, repeats=1)
    plain = {
        library: in_fresh_process("products", "loss", library, folder / "plain", json.dumps(sizes), library=library)
        * sizes["rows"]
        / plain_rows
        for library in plain_libraries()
    }
    one = our_loss(folder / "one", **sizes, threads=1, repeats=LOSS_REPEATS)
    two = our_loss(folder / "two", **sizes, threads=2, repeats=LOSS_REPEATS)
    if (folder / "one" / "gradient").read_bytes() != (folder / "two" / "gradient").read_bytes():
        raise SystemExit("the gradient depends on the number of threads")
    machine.measure()
    multiply_adds = 3 * sizes["rows"] * (sizes["order"] + 1) ** sizes["columns"]
    figures = [
        Figure(f"{words}: {sizes['rows']} rows", 1e3 * one["seconds"], "ms"),
        Figure(
            f"{words}: share of the matrix product's peak",
            machine.share("matrices", multiply_adds, one["seconds"]),
            "",
            at_least=0.8,
            only_idle=True,
        ),
    ]
    for library, seconds in plain.items():
        figures += [
            Figure(f"{words}: plain {library}, {plain_rows} rows scaled up", 1e3 * seconds, "ms"),
            Figure(f"{words}: ratio to {library}", seconds / one["seconds"], "x", at_least=100, only_idle=True),
        ]
    figures += [
        Figure(f"{words}: workspace", one["workspace_megabytes"], "MB", at_most=64),
        Figure(f"{words}: workspace of 2 threads", two["workspace_megabytes"], "MB", at_most=64),
    ]
    return figures + machine.thread_figures(words, one["seconds"], two["seconds"])


def our_sums(values, folder, rows, columns, order, threads, repeats):
    folder.mkdir()
    values.tofile(folder / "values")
    printed = printed_by(
        "product_sums_benchmark",
        folder / "values",
        rows,
        columns,
        order,
        LENGTH_SCALE,
        threads,
        repeats,
        folder / "sums",
    )
    (folder / "constants.json").write_text(json.dumps(printed))
    return printed["seconds"]


def sum_figures(machine, folder):
    words = f"product sums, order {SUMS['order']} on {SUMS['columns']} columns"
    values = numpy.random.default_rng(1).uniform(-1, 1, (SUMS["columns"], SUMS["rows"]))
    plain_rows = SUMS["rows"] // PLAIN_SHARE
    our_sums(values[:, :plain_rows], folder / "plain", **SUMS | {"rows": plain_rows}, threads=1, repeats=1)
    plain = {
        library: in_fresh_process("products", "sums", library, folder / "plain", json.dumps(SUMS), library=library)
        for library in plain_libraries()
    }
    one = our_sums(values, folder / "one", **SUMS, threads=1, repeats=SUM_REPEATS)
    two = our_sums(values, folder / "two", **SUMS, threads=2, repeats=SUM_REPEATS)
    if (folder / "one" / "sums").read_bytes() != (folder / "two" / "sums").read_bytes():
        raise SystemExit("the sums depend on the number of threads")
    machine.measure()
    figures = [
        Figure(f"{words}: {SUMS['rows']} records", 1e3 * one, "ms"),
        Figure(
            f"{words}: share of the peak in double",
            machine.share("doubles", SUMS["rows"] * (SUMS["order"] + 1) ** SUMS["columns"], one),
            "",
        ),
    ]
    for library, by_precision in plain.items():
        for precision, seconds in by_precision.items():
            scaled = seconds * SUMS["rows"] / plain_rows
            figures += [
                Figure(f"{words}: plain {library} in {precision}, {plain_rows} records scaled up", 1e3 * scaled, "ms"),
                Figure(f"{words}: ratio to {library} in {precision}", scaled / one, "x", at_least=100, only_idle=True),
            ]
    return figures + machine.thread_figures(words, one, two)


def run(machine=None):
    machine = machine or Machine()
    machine.measure()
    figures = []
    for sizes in LOSSES:
        with tempfile.TemporaryDirectory() as name:
            figures += loss_figures(machine, sizes, pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        return figures + sum_figures(machine, pathlib.Path(name))


if __name__ == "__main__":
    measured = plain_loss if sys.argv[1] == "loss" else plain_sums
    print(json.dumps(measured(sys.argv[2], pathlib.Path(sys.argv[3]), json.loads(sys.argv[4]))))
