"""The installer, units and rules, as far as they go without a machine to give away."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from host.hall.broker import Tls, make_config
from host.systemd import notify
from tests.shared_data import ROOT

INSTALL = ROOT / "hardware" / "install.sh"


def install(
    *args: str, timeout: float = 60, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(INSTALL), *args], capture_output=True, text=True, timeout=timeout, check=False, env=env
    )


def test_wrong_options_are_one_sentence_and_what_to_do(tmp_path: Path) -> None:
    unknown = ["--root", str(tmp_path), "--layout", "none"]
    many = ["--root", str(tmp_path), "--hall", "--tables", "many"]
    for args, says in ((["--nonsense"], "--help"), (unknown, "althera-3"), (many, "--tables 40")):
        done = install(*args)
        assert done.returncode == 1
        assert says in done.stderr
        assert len(done.stderr.strip().splitlines()) == 2
    assert install("--help").stdout.startswith("Makes this machine")


def test_uninstall_removes_what_was_installed_and_keeps_matches(tmp_path: Path) -> None:
    for name in ("etc/systemd/system/crowntable.service", "etc/udev/rules.d/60-crowntable.rules",
                 "opt/crowntable/bin/crowntable", "var/lib/crowntable/journal.sqlite",
                 "etc/systemd/system/crowntable-hall.service", "etc/systemd/system/crowntable-broker.service",
                 "var/lib/crowntable-hall/hall.sqlite", "var/lib/crowntable-broker/tables/t01.toml",
                 "etc/crowntable/table.toml"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert install("--root", str(tmp_path), "--uninstall").returncode == 0
    left = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    hall = {"var/lib/crowntable-hall/hall.sqlite", "var/lib/crowntable-broker/tables/t01.toml"}
    assert left == {"var/lib/crowntable/journal.sqlite", "etc/crowntable/table.toml", *hall}
    assert install("--root", str(tmp_path), "--uninstall", "--purge").returncode == 0
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


@pytest.mark.soak
@pytest.mark.timeout(5000)
def test_installed_into_a_root_twice_it_runs_and_keeps_its_settings(tmp_path: Path) -> None:
    for _ in range(2):
        done = install("--root", str(tmp_path), "--layout", "althera-2", timeout=1500)
        assert done.returncode == 0, done.stderr
        settings = tmp_path / "etc/crowntable/crowntable.env"
        assert settings.read_text().startswith("# The table's settings")
        settings.write_text(settings.read_text() + "CROWNTABLE_PORT=8001\n")
    assert settings.read_text().count("CROWNTABLE_PORT=8001") == 2
    assert 'name = "Ada"' in (tmp_path / "etc/crowntable/table.toml").read_text()
    script = tmp_path / "opt/crowntable/bin/crowntable"
    assert script.read_text().splitlines()[0].startswith("#!/opt/crowntable/bin/python")
    count = "import host.layout; print(len(host.layout.shipped_layouts()))"
    shipped = subprocess.run(
        [tmp_path / "opt/crowntable/bin/python", "-c", count],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert int(shipped.stdout) >= 5


def hall_grows(root: Path, **more: Any) -> None:
    """A hall of two tables in this root, then TLS, then twelve tables, then once more."""

    def hall(tables: int) -> str:
        done = install("--root", str(root), "--hall", "--tables", str(tables), **more)
        assert done.returncode == 0, done.stderr
        return (root / "var/lib/crowntable-broker/mosquitto.conf").read_text()

    first = hall(2)
    assert "acl_file /var/lib/crowntable-broker/access" in first and str(root) not in first
    account = root / "var/lib/crowntable-broker/tables/t2.toml"
    before = account.read_text()
    own = root / "var/lib/crowntable-hall/hall.toml"
    own.write_text(own.read_text() + 'database = "sqlite:///x"\n')
    units = root / "etc/systemd/system"
    assert {path.name for path in units.iterdir()} == {"crowntable-broker.service", "crowntable-hall.service"}
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=hall",
         "-keyout", "k", "-out", "c"],
        cwd=root, check=True, capture_output=True,
    )  # fmt: skip
    made = Tls(root / "c", root / "k", root / "c")
    make_config(root / "var/lib/crowntable-broker", 2, tls=made)
    for file in (made.cert, made.key):
        file.unlink()  # in somebody's home, where no service looks: the hall has its own
    for _ in range(2):
        text = hall(12)
        assert "listener 8883" in text and "certfile /var/lib/crowntable-broker/cert.pem" in text
    assert account.read_text().startswith(before)
    assert account.with_name("t12.toml").exists() and (account.parent / "ca.pem").exists()
    assert "sqlite:///x" in own.read_text() and 'ca = "ca.pem"' in own.read_text()


@pytest.mark.soak
@pytest.mark.timeout(5000)
def test_a_hall_installed_into_a_root_keeps_its_accounts_and_its_tls_when_it_grows(tmp_path: Path) -> None:
    hall_grows(tmp_path, timeout=1500)


def test_a_halls_installer_keeps_accounts_and_tls_when_it_grows(tmp_path: Path) -> None:
    """The same in seconds: the program comes from this checkout instead of the package index."""
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    run = f'case " $* " in *" pip "*) ;; *) PYTHONPATH={ROOT} exec {sys.executable} "$@" ;; esac'
    python.write_text(
        "#!/bin/sh\n"
        'for made in "$@"; do :; done\n'
        'mkdir -p "$made/bin" && echo "$made/bin" > "$made/pyvenv.cfg"\n'
        f"cat > \"$made/bin/python\" <<'END'\n#!/bin/sh\n{run}\nEND\n"
        'chmod +x "$made/bin/python"\n'
    )
    python.chmod(0o755)
    root = tmp_path / "root"
    root.mkdir()
    hall_grows(root, timeout=300, env={**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"})


def test_the_halls_services_are_not_root_and_are_started_again() -> None:
    for name, user in (("hall", "crowntable"), ("broker", "mosquitto")):
        unit = (ROOT / f"hardware/systemd/crowntable-{name}.service").read_text().splitlines()
        for line in (f"User={user}", "Restart=always", "ProtectSystem=strict", "NoNewPrivileges=yes"):
            assert line in unit, (name, line)


def test_the_service_is_not_root_restarts_and_is_watched() -> None:
    unit = (ROOT / "hardware/systemd/crowntable.service").read_text()
    for line in ("User=crowntable", "Restart=always", "WatchdogSec=30", "Type=notify", "ProtectSystem=strict",
                 "StateDirectory=crowntable", "EnvironmentFile=-/boot/firmware/crowntable.env"):  # fmt: skip
        assert line in unit.splitlines()


def test_every_udev_rule_is_whole() -> None:
    rules = (ROOT / "hardware/udev/60-crowntable.rules").read_text().splitlines()
    lines = [line for line in rules if line and not line.startswith("#")]
    assert len(lines) == 8
    pair = re.compile(r'[A-Z]+(\{\w+\})?(==|\+=|=)"[^"]*"')
    for line in lines:
        assert all(pair.fullmatch(part) for part in re.split(r",\s*", line)), line
        assert re.search(r'ATTRS?\{idVendor\}=="[0-9a-f]{4}"', line)
        assert 'MODE="0660"' in line


def test_systemd_hears_that_the_table_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        assert notify("READY=1")
        assert listener.recv(64) == b"READY=1"
    assert not notify("READY=1")
