"""TLS between a table, the broker and the hall: who is trusted, and files that are no certificate."""

from __future__ import annotations

import logging
import stat
import subprocess
from pathlib import Path

import pytest

from engine.errors import CrowntableError
from host.hall import publisher
from host.hall.account import Account, Broker
from host.hall.broker import Tls, make_config
from host.hall.local import LocalBroker, free_port
from host.hall.publisher import Publisher
from tests.host.hall_kit import Player, within


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for its own sake."""
    monkeypatch.setattr(publisher, "LONGEST_PAUSE_S", 1.0)
    monkeypatch.setattr(publisher, "VIEW_S", 0.1)


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    """As docs/hall.md makes one."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=hall",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "hall.key", "-out", "hall.crt"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return Tls(folder / "hall.crt", folder / "hall.key", folder / "hall.crt")


def test_given_tls_then_a_table_speaks_to_the_broker_it_trusts_and_to_no_other(
    tmp_path: Path, certificate: Tls, caplog: pytest.LogCaptureFixture
) -> None:
    broker = LocalBroker(tmp_path / "broker", 1, certificate)
    player = Player("t1", tmp_path / "t1")
    try:
        player.begin()
        account = broker.account("t1")
        assert stat.S_IMODE(broker.path("t1").stat().st_mode) == 0o600
        player.join(broker.broker, account)
        within(lambda: player.publisher is not None and player.publisher.connected())
        player.leave()
        with caplog.at_level(logging.WARNING):
            # Without that certificate nobody knows this broker: nothing is told to it.
            player.join(broker.broker, Account(account.name, account.password, account.label))
            within(lambda: "certificate verify failed" in caplog.text)
            assert player.publisher is not None and not player.publisher.connected()
    finally:
        player.stop()
        broker.stop()


def test_given_a_certificate_then_the_brokers_user_may_read_what_it_needs_of_it(
    tmp_path: Path, certificate: Tls
) -> None:
    """A key that only its maker may read, or one in a home, is none for a broker that runs as a user of its
    own: the hall's folder has copies."""
    make_config(tmp_path / "hall", 1, tls=certificate)
    text = (tmp_path / "hall" / "mosquitto.conf").read_text()
    for name in ("cert.pem", "key.pem"):
        path = tmp_path / "hall" / name
        assert f"file {path}" in text
        assert path.stat().st_gid == (tmp_path / "hall" / "passwords").stat().st_gid
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "hall/passwords").stat().st_mode)
    # Once more with its own copies, as the installer does.
    kept = (tmp_path / "hall" / "key.pem").read_text()
    again = Tls(tmp_path / "hall/cert.pem", tmp_path / "hall/key.pem", tmp_path / "hall/ca.pem")
    make_config(tmp_path / "hall", 2, tls=again)
    assert (tmp_path / "hall" / "key.pem").read_text() == kept == certificate.key.read_text()


def test_given_files_that_are_no_certificate_then_it_says_so_and_nothing_is_made(
    tmp_path: Path, certificate: Tls
) -> None:
    nonsense = tmp_path / "nonsense"
    nonsense.write_bytes(b"\x30\x82\xff\x00")
    good = certificate.cert
    for tls, says in (
        (Tls(good, nonsense), "is no PEM"),
        (Tls(good, good), "is no certificate that"),
        (Tls(good, tmp_path / "nowhere"), "is not there"),
        (Tls(good, certificate.key, certificate.key), "is no certificate"),
    ):
        with pytest.raises(CrowntableError, match=says) as caught:
            make_config(tmp_path / "hall", 1, tls=tls)
        assert "docs/hall.md" in caught.value.cure
        assert not (tmp_path / "hall").exists()


def test_given_a_certificate_file_that_is_none_then_the_start_says_so(tmp_path: Path) -> None:
    player = Player("t1", tmp_path / "t1")
    try:
        account = Account("t1", "x", "Table 1", tmp_path / "nowhere.pem")
        with pytest.raises(CrowntableError, match="certificate"):
            Publisher(player.table, Broker("127.0.0.1", free_port(), True), account, tmp_path)
    finally:
        player.stop()
