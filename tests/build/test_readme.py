"""What README.md shows compiles, word for word."""

import json
import os
import re
import subprocess
from pathlib import Path

SOURCE = Path(os.environ["MEHLER_SOURCE"])
BUILD = Path(os.environ["MEHLER_BUILD"])

PROGRAM = """
%s
void shown(ArrowArrayStream& arrow_c_stream) {
%s
}
"""


def compiler_words():
    """The compiler and the flags that say where headers are."""
    command = next(
        entry["command"]
        for entry in json.loads((BUILD / "compile_commands.json").read_text())
        if entry["file"].endswith("examples/in_memory.cc")
    )
    words = command.split()
    words = words[1:] if words[0].endswith("ccache") else words
    return [words[0], *(word for word in words[1:] if word.startswith(("-I", "-D", "-std=")))]


def test_the_snippet_of_the_library_compiles(tmp_path):
    snippet = re.search(r"```cpp\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL).group(1)
    includes = "".join(line for line in snippet.splitlines(keepends=True) if line.startswith("#include"))
    program = tmp_path / "shown.cc"
    program.write_text(PROGRAM % (includes, snippet.replace(includes, "")))
    result = subprocess.run([*compiler_words(), "-fsyntax-only", program], cwd=BUILD, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_public_face_brings_no_headers_of_other_projects(tmp_path):
    program = tmp_path / "face.cc"
    program.write_text('#include "mehler/mehler.h"\n')
    result = subprocess.run([*compiler_words(), "-M", program], cwd=BUILD, capture_output=True, text=True, check=True)
    headers = [word for word in result.stdout.split() if word.endswith((".h", ".hpp"))]
    assert any(header.endswith("mehler/release/release.h") for header in headers)
    foreign = ("/nlohmann/", "/fmt/", "/hwy/", "/openssl/", "/CLI/", "/arrow/")
    assert [header for header in headers if any(name in header for name in foreign)] == []
