#!/usr/bin/env bash
# test-namespace.sh FOLDER COMMAND... - run a command in a network that has loopback and nothing else, and write down
# what it tried to reach beyond it. Runs inside fresh namespaces: unshare --net --mount --pid --fork --mount-proc.
#
# The way out is a cable without an end. Whoever sends a packet that is not for this machine makes the kernel ask the
# cable for the receiver's hardware address, and those questions are the record: FOLDER/addresses has one a line. Names
# are asked of test-names.mjs, which knows none: FOLDER/names has those.
set -euo pipefail
folder=$1
shift
ip link set lo up
ip link add outside type veth peer name nowhere
for link in outside nowhere; do
  # No router or group chatter of the machine itself on the cable.
  echo 0 > "/proc/sys/net/ipv6/conf/$link/accept_ra" 2>/dev/null || true
  ip link set "$link" up
done
ip addr add 192.0.2.1/24 dev outside
ip route add default dev outside
if ip -6 addr add 2001:db8::1/64 dev outside nodad 2>/dev/null; then ip -6 route add default dev outside; fi
touch "$folder/names"
if [ -e /etc/resolv.conf ]; then
  printf 'nameserver 127.0.0.53\noptions timeout:1 attempts:1\n' > "$folder/resolv.conf"
  mount --bind "$folder/resolv.conf" /etc/resolv.conf
  coproc names { node "$(dirname "$0")/test-names.mjs" "$folder/names"; }
  read -r _ <&"${names[0]}"
fi
: > "$folder/watched"
ip monitor neigh dev outside > "$folder/watched" 2>/dev/null &
watcher=$!
"$@" &
command=$!
# The first process of a pid namespace gets only the signals that it asks for.
trap 'kill -TERM "$command" 2>/dev/null || true' TERM INT HUP
code=0
wait "$command" || code=$?
while kill -0 "$command" 2>/dev/null; do wait "$command" && code=0 || code=$?; done
# An entry that was still being asked for is in the table; one that was given up long ago is in what was watched.
kill "$watcher" 2>/dev/null || true
{ ip neigh show dev outside; cat "$folder/watched"; } | sed 's/^Deleted //' | cut -d' ' -f1 | sort -u > "$folder/addresses"
exit "$code"
