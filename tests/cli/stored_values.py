"""Looks for private values in a file of numbers, in every form in which it could hold them."""

import struct

# A number as text, or as numbers are stored: in its own units, in cents, or as the coordinate in [-1, 1]
# that the bounds of 0 and 200,000 give it.
STORED = {
    "text": lambda text: text.encode(),
    "float64": lambda text: struct.pack("<d", float(text)),
    "float32": lambda text: struct.pack("<f", float(text)),
    "coordinate, float64": lambda text: struct.pack("<d", float(text) / 100_000 - 1),
    "coordinate, float32": lambda text: struct.pack("<f", float(text) / 100_000 - 1),
    "cents, int64": lambda text: struct.pack("<q", round(100 * float(text))),
}


def count_found(data, values, form):
    """How many of the values a file holds in a form; binary ones are looked for where numbers begin."""
    patterns = {STORED[form](value) for value in values}
    if form == "text":
        return sum(pattern in data for pattern in patterns)
    width = len(next(iter(patterns)))
    return len(patterns & {data[i : i + width] for i in range(0, len(data) - width + 1, 4)})


def assert_holds_none_of(data, rows, form):
    """A release or a model holds neither the people nor the incomes of a study's records; and the search
    would find them, had they been written into it."""
    people, incomes = ([row[place] for row in rows] for place in (0, 1))
    # 200 values of 32 bits among 50,000 others, or of 8 digits among 1,000 noisy sums, meet one by accident
    # with a probability below 0.01, and three with one below 1e-6; texts and 64 bits never.
    by_accident = 2 if form.endswith(("float32", "int64")) else 0
    assert count_found(data, incomes, form) <= by_accident
    assert count_found(data, people, "text") == 0
    middle = len(data) // 16 * 8
    leaking = data[:middle] + b"".join(map(STORED[form], incomes)) + data[middle:]
    assert count_found(leaking, incomes, form) == len(set(map(STORED[form], incomes)))
    assert count_found(data[:middle] + people[7].encode() + data[middle:], people, "text") == 1
