#!/usr/bin/env bash
# Makes this machine a table that starts by itself. Debian 12 or later, or Raspberry Pi OS; run as root.
#   sudo hardware/install.sh [--layout NAME|FILE] [--kiosk]
#   sudo hardware/install.sh --hall [--tables N]         a hall of N tables (40): broker and pages, docs/hall.md
#   sudo hardware/install.sh --uninstall [--purge]       --purge also removes matches and settings
# Safe to run again: it brings an installation up to date and leaves settings and matches as they are.
# --root DIR installs into another root (an image, a chroot, a test) and starts nothing there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(dirname "$here")
root= layout=althera-3 kiosk=no action=install purge=no hall=no tables=40
broker=/var/lib/crowntable-broker

# The port that the settings FILE name under KEY, else DEFAULT.
port() { local set; set=$(sed -n "s/^$2=//p" "$root/etc/crowntable/$1" | tail -n 1); printf '%s' "${set:-$3}"; }
say() { printf 'install: %s\n' "$*"; }
fail() { printf 'install: %s\n         %s\n' "$1" "$2" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --layout) layout=${2:?--layout needs a name or a file}; shift ;;
    --kiosk) kiosk=yes ;;
    --hall) hall=yes ;;
    --tables) tables=${2:?--tables needs a number}; shift ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --root) root=${2:?--root needs a folder}; shift ;;
    -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "$1 is not known." "See hardware/install.sh --help." ;;
  esac
  shift
done
live() { [ -z "$root" ]; }
if live && [ "$(id -u)" -ne 0 ]; then fail "This needs root." "Run: sudo $0"; fi

units=(crowntable.service)
[ "$kiosk" = no ] || units+=(crowntable-kiosk.service)
[ "$hall" = no ] || units=(crowntable-broker.service crowntable-hall.service)
case $tables in *[!0-9]*|'') fail "$tables is no number of tables." "Give one: --tables 40." ;; esac

if [ "$action" = uninstall ]; then
  if live; then
    for unit in crowntable-kiosk.service crowntable.service crowntable-hall.service crowntable-broker.service; do
      systemctl disable --now "$unit" 2>/dev/null || true
    done
  fi
  rm -f "$root"/etc/systemd/system/crowntable{,-kiosk,-hall,-broker}.service
  rm -f "$root/etc/udev/rules.d/60-crowntable.rules" "$root/etc/modprobe.d/crowntable.conf"
  rm -rf "$root/opt/crowntable"
  if [ "$purge" = yes ]; then
    rm -rf "$root/etc/crowntable" "$root/var/lib/crowntable" "$root/var/lib/crowntable-hall" "$root$broker"
    if live; then userdel crowntable 2>/dev/null || true; fi
  fi
  if live; then systemctl daemon-reload; udevadm control --reload 2>/dev/null || true; fi
  say "removed$([ "$purge" = yes ] || echo '; matches and settings are kept in /var/lib/crowntable* and /etc/crowntable')"
  exit 0
fi

if [ -f "$layout" ]; then table=$layout; else table=$here/tables/$layout.toml; fi
[ -f "$table" ] || fail "There is no layout $layout." "Shipped ones: $(basename -s .toml "$here"/tables/*.toml | xargs)."

if live; then
  packages=(python3-venv libusb-1.0-0)
  # The Pi's pins: the system's own library, where this system has it (Python 3.13 has no wheel of it).
  apt-cache show python3-lgpio >/dev/null 2>&1 && packages+=(python3-lgpio)
  [ "$kiosk" = no ] || packages+=(cage chromium)
  [ "$hall" = no ] || packages=(python3-venv mosquitto)
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
      fail "apt-get could not install ${missing[*]}." "Look at its message above; is there a network connection?"
  fi
  id crowntable >/dev/null 2>&1 ||
    useradd --system --home-dir /var/lib/crowntable --shell /usr/sbin/nologin crowntable
  # A group that this system lacks would keep the service from starting.
  for group in dialout gpio video plugdev spi i2c render input tty; do
    getent group "$group" >/dev/null || groupadd --system "$group"
  done
fi

# The program, in an environment of its own that sees the system's lgpio. Made beside the old one and
# then moved into place, so that a failure half-way leaves the old one working.
new=$root/opt/crowntable.new
rm -rf "$new"
mkdir -p "$root/opt"
python3 -m venv --system-site-packages "$new" || fail "could not make $new" "Is the disk full? df -h tells."
"$new/bin/python" -m pip install -q --disable-pip-version-check -c "$source_dir/tools/constraints.txt" "$source_dir" ||
  fail "could not install the program" "Look at the message above; is there a network connection? Then try again."
# Scripts name their interpreter: they must name the place where it will be.
grep -rlI "$new/bin" "$new/bin" "$new/pyvenv.cfg" | xargs -r sed -i "s#$new#/opt/crowntable#g"
rm -rf "$root/opt/crowntable"
mv "$new" "$root/opt/crowntable"

install -d -m 755 "$root/etc/crowntable" "$root/etc/systemd/system" "$root/etc/udev/rules.d" "$root/etc/modprobe.d"
for unit in "${units[@]}"; do install -m 644 "$here/systemd/$unit" "$root/etc/systemd/system/$unit"; done

if [ "$hall" = yes ]; then
  [ -f "$root/etc/crowntable/hall.env" ] || cat > "$root/etc/crowntable/hall.env" <<'ENV'
# The hall's settings.
#CROWNTABLE_HALL_NAME=Crown Con
#CROWNTABLE_HALL_PORT=8080
#CROWNTABLE_BROKER=mqtts://127.0.0.1
ENV
  conf=$root$broker/mosquitto.conf tls=()
  if cert=$(sed -n 's/^certfile //p' "$conf" 2>/dev/null) && [ -n "$cert" ]; then
    # A hall that speaks TLS goes on to do so.
    key=$(sed -n 's/^keyfile //p' "$conf")
    [ "$cert" != "$broker/cert.pem" ] || cert=$root$cert key=$root$key
    tls=(--cert "$cert" --key "$key")
    [ ! -f "$root$broker/ca.pem" ] || tls+=(--ca "$root$broker/ca.pem")
  fi
  "$root/opt/crowntable/bin/python" -P -m web.main hall config --tables "$tables" -o "$root$broker" "${tls[@]}" >/dev/null ||
    fail "could not make the tables' accounts" "Look at the message above."
  [ -z "$root" ] || sed -i "s#$root##g" "$conf"
  # The hall's own account, with the database that somebody has named in it.
  state=$root/var/lib/crowntable-hall
  install -d -m 750 "$state"
  database=$(grep '^database' "$state/hall.toml" 2>/dev/null || true)
  install -m 600 "$root$broker/hall.toml" "$state/hall.toml"
  [ -z "$database" ] || grep -q '^database' "$state/hall.toml" || printf '%s\n' "$database" >> "$state/hall.toml"
  [ ! -f "$root$broker/ca.pem" ] || install -m 600 "$root$broker/ca.pem" "$state/ca.pem"
  if live; then
    chown -R crowntable:crowntable "$state"
    # Debian's own broker takes the same port, with nobody's accounts.
    systemctl disable -q --now mosquitto.service 2>/dev/null || true
    systemctl daemon-reload
    for unit in "${units[@]}"; do systemctl enable -q "$unit"; systemctl restart "$unit"; done
    say "the hall runs: http://$(hostname -I | cut -d' ' -f1):$(port hall.env CROWNTABLE_HALL_PORT 8080)/   (journalctl -u crowntable-hall shows its PIN)"
  else
    say "installed into $root"
  fi
  say "each table gets its file of $broker/tables (docs/hall.md)"
  exit 0
fi

[ -f "$root/etc/crowntable/table.toml" ] || install -m 644 "$table" "$root/etc/crowntable/table.toml"
[ -f "$root/etc/crowntable/crowntable.env" ] || cat > "$root/etc/crowntable/crowntable.env" <<'ENV'
# The table's settings. The same keys in /boot/firmware/crowntable.env win.
#CROWNTABLE_LAYOUT=/etc/crowntable/table.toml
#CROWNTABLE_HOST=0.0.0.0
#CROWNTABLE_PORT=8000
#CROWNTABLE_HALL=mqtt://HALL-ADDRESS
ENV
install -m 644 "$here/udev/60-crowntable.rules" "$root/etc/udev/rules.d/60-crowntable.rules"
install -m 644 "$here/udev/crowntable-modprobe.conf" "$root/etc/modprobe.d/crowntable.conf"

if live; then
  systemctl daemon-reload
  udevadm control --reload 2>/dev/null && udevadm trigger 2>/dev/null || true
  for unit in "${units[@]}"; do systemctl enable -q "$unit"; systemctl restart "$unit"; done
  say "the table runs: http://$(hostname -I | cut -d' ' -f1):$(port crowntable.env CROWNTABLE_PORT 8000)/   (journalctl -u crowntable shows its PIN)"
else
  say "installed into $root"
fi
