"""The documentation's pages of methods say what the program says."""

import importlib.machinery
import importlib.util
import os
from pathlib import Path

SOURCE = Path(os.environ["MEHLER_SOURCE"])
SCRIPT = str(SOURCE / "scripts" / "option-pages")

loader = importlib.machinery.SourceFileLoader("option_pages", SCRIPT)
option_pages = importlib.util.module_from_spec(importlib.util.spec_from_loader("option_pages", loader))
loader.exec_module(option_pages)


def test_every_method_has_a_page_with_its_options(program):
    pages = option_pages.pages(program)
    names = [line for line in option_pages.told(program).splitlines() if len(line.split()) == 1]
    with_options = [name for name in names if "\nOptions" in option_pages.told(program, name)]
    assert sorted(path.stem for path in pages) == sorted(with_options)
    for path, options in pages.items():
        text = path.read_text(encoding="utf-8")
        assert option_pages.with_options(text, options) == text, f"{path.name}: run scripts/option-pages"
