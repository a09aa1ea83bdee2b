"""Wheels for tests that install without a network."""

import hashlib
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path


def build_wheel(folder: Path, name: str, version: str, code: str, needs: list[str]) -> None:
    """A wheel as its specification describes it."""
    about = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
    files = {
        f"{name}.py": code,
        f"{about}/METADATA": metadata + "".join(f"Requires-Dist: {need}\n" for need in needs),
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, content in files.items():
        digest = urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content.encode())}\n"
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
