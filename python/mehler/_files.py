"""Files that are written whole, or not at all."""

from __future__ import annotations

import os

from mehler._engine import FileError


def write_whole(path, content: bytes) -> None:
    import tempfile  # not with the package: it would be half of what that takes

    path = os.fspath(path)
    folder = os.path.dirname(path) or "."
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.")
        try:
            with open(handle, "wb") as file:
                file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise FileError(f"'{path}' cannot be written: {error.strerror}; choose another place") from None
