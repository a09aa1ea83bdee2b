"""No test reaches beyond this machine, and none touches the user's Hugging Face cache."""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

# Read once, when huggingface_hub is imported, here and in child processes. Nothing listens there.
os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="segbench-tests-")
atexit.register(shutil.rmtree, os.environ["HF_HOME"], ignore_errors=True)
os.environ.pop("HF_HUB_OFFLINE", None)

from tests.corpora.hub.fake_hub import FakeHub  # noqa: E402


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache."""
    from huggingface_hub import constants

    folder = tmp_path / "cache"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder / "hub"))
    monkeypatch.setattr(constants, "HF_ASSETS_CACHE", str(folder / "assets"))
    return folder


@pytest.fixture
def fake_hub(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A server on this machine that the real client takes for the hub."""
    import datasets
    from huggingface_hub import HfFileSystem, constants

    with FakeHub() as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            hub.url + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr(datasets.config, "HF_ENDPOINT", hub.url)
        # That server's name is made from the hub's, and here would be none.
        monkeypatch.setattr(datasets.config, "USE_PARQUET_EXPORT", False)
        monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(cache / "datasets"))
        monkeypatch.setattr(datasets.config, "STREAMING_READ_RETRY_INTERVAL", 0)
        monkeypatch.setattr(datasets.config, "STREAMING_OPEN_RETRY_INTERVAL", 0)
        HfFileSystem.clear_instance_cache()
        yield hub
        hub.resume()
        for thread in threading.enumerate():
            if thread.name == "segbench loading":  # given up, but it ends where it can go on
                thread.join(timeout=20)
    HfFileSystem.clear_instance_cache()
