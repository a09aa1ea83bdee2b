#!/bin/sh
# Installs Chromium for the tests of the page, where root can do so on Debian. Elsewhere it says
# how, and the tests are skipped.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update --quiet --quiet
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends \
        chromium fonts-dejavu-core >/dev/null
else
    echo "No Chromium: the tests of the page will be skipped. Install it: apt-get install chromium" >&2
fi
