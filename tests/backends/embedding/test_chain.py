"""Who embeds: the chain, as it is configured, and what is said of those that were not taken."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.app import choose_embedder
from quire.backends.embedding.api import ApiEmbedder
from quire.backends.embedding.local import LocalEmbedder
from quire.backends.embedding.quick import QuickEmbedder
from quire.errors import SelectionError

SERVICE = '[embedding.api]\nurl = "https://api.example.com/v1"\nmodel = "big"\ndimension = 1536\n'
WITH_KEY = SERVICE + 'key_variable = "MY_KEY"\n'

Configured = Callable[[str], str]


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    def write(text: str) -> str:
        path = tmp_path / "config.toml"
        path.write_text(text)
        return str(path)

    return write


def test_where_nothing_is_configured_the_local_model_is_taken() -> None:
    choice = choose_embedder(environment={})
    assert isinstance(choice.embedder, LocalEmbedder)
    assert (str(choice), choice.broken, choice.costs) == ("e5-small, 384 dimensions", False, False)
    choice.embedder.close()


def test_a_process_that_asks_once_gets_the_one_that_starts_fast() -> None:
    choice = choose_embedder(once=True, environment={})
    assert isinstance(choice.embedder, QuickEmbedder)


def test_a_service_that_is_configured_comes_first(configured: Configured) -> None:
    choice = choose_embedder(config=configured(WITH_KEY), environment={"MY_KEY": "sk-1"})
    assert isinstance(choice.embedder, ApiEmbedder)
    assert (str(choice), choice.costs) == ("big, 1536 dimensions", True)


def test_a_service_may_need_no_key(configured: Configured) -> None:
    assert isinstance(choose_embedder(config=configured(SERVICE), environment={}).embedder, ApiEmbedder)


@pytest.mark.parametrize("environment", [{}, {"MY_KEY": ""}, {"MY_KEY": " "}])
def test_no_other_model_stands_in_for_a_service_without_its_key(
    configured: Configured, environment: dict[str, str]
) -> None:
    choice = choose_embedder(config=configured(WITH_KEY), environment=environment)
    assert choice.embedder is None
    assert choice.broken
    assert "the environment has no MY_KEY" in str(choice)


@pytest.mark.parametrize(
    ("text", "environment"),
    [('[embedding]\nuse = "none"', {}), (SERVICE, {"QUIRE_EMBEDDING": "none"}), ("", {"QUIRE_EMBEDDING": "none"})],
)
def test_nobody_embeds_where_that_is_wanted(configured: Configured, text: str, environment: dict[str, str]) -> None:
    choice = choose_embedder(config=configured(text), environment=environment)
    assert choice.embedder is None
    assert not choice.broken
    assert str(choice) == "none, words answer alone (embedding.use is none)"


def test_the_local_model_can_be_preferred_to_a_service(configured: Configured) -> None:
    choice = choose_embedder(once=True, config=configured(SERVICE), environment={"QUIRE_EMBEDDING": "local"})
    assert isinstance(choice.embedder, QuickEmbedder)


@pytest.mark.parametrize(
    ("absent", "install"),
    [
        ("quire_e5_small", "pip install quire-e5-small"),
        ("onnxruntime", "pip install 'quire[embed]'"),
        ("numpy", "pip install 'quire[embed]'"),
    ],
)
def test_what_is_not_installed_is_named_and_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, absent: str, install: str
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    choice = choose_embedder(environment={})
    assert choice.embedder is None
    assert not choice.broken
    assert f"{absent.replace('_', '-')} not installed; run: {install}" in str(choice)
    assert choose_embedder(environment={"QUIRE_EMBEDDING": "local"}).broken


def test_weights_that_are_damaged_are_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("quire_e5_small.FOLDER", str(tmp_path))
    choice = choose_embedder(environment={})
    assert choice.embedder is None
    assert choice.broken
    assert "damaged" in str(choice)


def test_a_service_that_is_wanted_and_not_configured_is_a_reason() -> None:
    choice = choose_embedder(environment={"QUIRE_EMBEDDING": "api"})
    assert choice.embedder is None
    assert choice.broken
    assert "no service is configured" in str(choice)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ('[embedding]\nuse = "gpu"', "UNKNOWN_EMBEDDING", "auto, api, local, none"),
        ("[embedding]\nuse = 3", "UNKNOWN_EMBEDDING", "embedding.use"),
        ("[embedding]\nuses = 3", "CONFIG_UNKNOWN_KEY", "embedding.uses"),
        ("embedding = 3", "CONFIG_NOT_A_TABLE", "[embedding]"),
        ("[embedding]\napi = 3", "CONFIG_NOT_A_TABLE", "[embedding.api]"),
        ('[embedding.api]\nurl = "https://a.example.com"', "OPTION_MISSING", "'model'"),
        (SERVICE + "colour = 1", "UNKNOWN_OPTION", "'colour'"),
        (SERVICE + 'key = "sk-secret"', "UNKNOWN_OPTION", "key_variable"),
        (SERVICE + 'sleep = "x"', "UNKNOWN_OPTION", "'sleep'"),
        (SERVICE + 'batch = "many"', "WRONG_TYPE", "embedding.api.batch"),
        (SERVICE + "batch = 0", "BAD_EMBEDDING_OPTION", "batch"),
        (SERVICE.replace("https", "http"), "BAD_EMBEDDING_URL", "in the open"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(configured: Configured, text: str, code: str, says: str) -> None:
    with pytest.raises(SelectionError) as caught:
        choose_embedder(config=configured(text), environment={})
    assert caught.value.code == code
    assert says in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert caught.value.remedy


def test_options_of_the_service_are_taken_as_they_are_configured(configured: Configured) -> None:
    text = WITH_KEY + "max_tokens = 300\nbatch = 7\nprice = 1\nceiling_money = 2.5\nquery_prefix = 'query: '\n"
    choice = choose_embedder(config=configured(text), environment={"MY_KEY": "sk-1"})
    assert choice.embedder is not None
    assert choice.embedder.max_tokens == 300
    assert choice.embedder.identity.key == "big@1+query:/1536"
