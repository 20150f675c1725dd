#!/bin/sh
# Rows from PostgreSQL within a limit of memory: a member whose query has ROWS (10,000,000)
# rows of four columns learns with two small ones, each a process of collabdict run. Prints
# the largest resident memory of each, and fails if that of the first is above 300 MB. Needs
# go, Linux (/proc) and PostgreSQL (initdb and postgres); it takes some minutes and
# as much disk as the rows have text. HOLD_OUT is the share held out, if not that of the program.
set -eu
cd "$(dirname "$0")/.."
rows=${ROWS:-10000000}
limit=307200 # kB
bin=$(dirname "$(readlink -f "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -n 1)")" 2>/dev/null || true)
[ -x "$bin/postgres" ] || { echo "postgres.sh: SKIPPED, NOTHING CHECKED: PostgreSQL is not installed" >&2; exit 0; }
dir=$(mktemp -d)
server=
members=
end() {
	for pid in $members $server; do kill -INT "$pid" 2>/dev/null || true; done
	wait
	rm -rf "$dir"
}
trap end EXIT
as=
mkdir "$dir/server"
if [ "$(id -u)" = 0 ]; then
	as="setpriv --reuid postgres --regid postgres --init-groups"
	chmod 755 "$dir" && chown postgres:postgres "$dir/server"
fi
# shellcheck disable=SC2086
(cd / && $as "$bin/initdb" --pgdata "$dir/server/data" --username postgres --auth trust --encoding UTF8 --no-sync >/dev/null)
# shellcheck disable=SC2086
(cd / && exec $as "$bin/postgres" -D "$dir/server/data" -k "$dir/server" -c listen_addresses= -c fsync=off 2>"$dir/log") &
server=$!
export PGHOST="$dir/server" PGDATABASE=postgres PGUSER=postgres PGSSLMODE=disable
until grep -q "ready to accept connections" "$dir/log" 2>/dev/null; do
	kill -0 "$server" || { cat "$dir/log" >&2; exit 1; }
	sleep 1
done

go build -o "$dir/collabdict" ./cmd/collabdict
cd "$dir"
# Deterministic noise about one of two patterns in turn.
query() {
	cat <<SQL
select 20 + 30 * (i % 2) + u(i, 1) as temp, 3 - 2 * (i % 2) + u(i, 2) as flow, u(i, 3) as level, 1 + 5 * (i % 2) + u(i, 4) + u(i, 5) as pressure
from generate_series(1, $1) i
order by i
SQL
}
psql=$bin/psql
"$psql" -qc 'create function u(i int, j int) returns float8 language sql immutable as $$ select (hashint4extended(i, j) & 1048575) / 1048576.0::float8 $$'
query "$rows" >large.sql
query 1000 >small.sql
query 2000 >other.sql
./collabdict consortium secret our.secret >/dev/null
peer=
for name in large small other; do
	# shellcheck disable=SC2086
	./collabdict run --name "$name" --data "$name.sql" --expect 3 --secret-file our.secret --mdns '' --listen /ip4/127.0.0.1/tcp/0 \
		--components 2 --lambda 0.1 --rounds 5 --tol 0 ${HOLD_OUT:+--hold-out "$HOLD_OUT"} $peer >"$name.out" 2>"$name.err" &
	pid=$!
	members="$members $pid"
	if [ "$name" = large ]; then
		large=$pid
		until grep -q -- '--peer ' large.err; do
			kill -0 "$pid" || { cat large.err >&2; exit 1; }
			sleep 1
		done
		echo "$(grep VmHWM "/proc/$pid/status" | tr -s '\t ' ' ') when the rows have been read"
		peer=$(sed -n 's/.*\(--peer [^ ]*\).*/\1/p' large.err | head -n 1)
	fi
done
peak=0
rounds=
while kill -0 "$large" 2>/dev/null; do
	if [ -z "$rounds" ] && grep -q "round 5/5 " large.err; then
		rounds=$peak && echo "VmHWM: $peak kB at the end of the rounds"
	fi
	now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$large/status" 2>/dev/null || true)
	[ "${now:-0}" -gt "$peak" ] && peak=$now
	sleep 1
done
for pid in $members; do wait "$pid" || { cat ./*.err >&2; exit 1; }; done
members=
echo "$rows rows: at most $peak kB of memory"
cat large.out
[ "$peak" -le "$limit" ] || { echo "postgres.sh: want at most $limit kB, got $peak" >&2; exit 1; }
