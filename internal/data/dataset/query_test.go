//go:build unix

package dataset_test

import (
	"context"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/testkit/postgrestest"
)

// startServer starts a database server, and sets the environment by which queries find it.
func startServer(t *testing.T) *postgrestest.Server {
	server := postgrestest.Start(t, "hush")
	for _, v := range append(server.Env(), "PGPASSWORD="+server.Password) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return server
}

// After the first pass over the result of a query, nothing asks the database.
func TestLaterPassesDoNotQuery(t *testing.T) {
	server := startServer(t)
	server.Exec(t, "create table measured as select i / 8.0::float8 as x, 1e3 - i as y from generate_series(1, 900) i")
	folder(t, "a.sql", "select x, y from measured order by x")
	spec := dataset.Spec{Data: []string{"a.sql"}, Memory: 1, Folder: "kept"}
	if err := spec.Forward(t.Context(), nil, never); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	server.Exec(t, "drop table measured")
	for range 2 {
		for i, v := range cellsOf(t, d.Participants[0].Train) {
			if row := float64(i/2 + 1); v != row/8 && v != 1e3-row {
				t.Fatalf("row %v has %v", row, v)
			}
		}
	}
	if !dataset.Streams(d.Participants[0].Train) || len(inFolder(t, "kept")) > 0 {
		t.Errorf("rows are %T, and the folder has %q", d.Participants[0].Train, inFolder(t, "kept"))
	}
}

// A query without columns in its result is an error. A query that is not read to its end stops with
// its context, and no transaction holds the table any more.
func TestQueriesEnd(t *testing.T) {
	server := startServer(t)
	server.Exec(t, "create table held (x float8); insert into held values (1)")
	folder(t, "none.sql", "select from generate_series(1, 100000)", "set.sql", "set local timezone = 'UTC'", "many.sql", "select x, generate_series(1, 100000000) from held")
	for _, file := range []string{"none.sql", "set.sql"} {
		spec := dataset.Spec{Data: []string{file}}
		wantError(t, spec.Forward(t.Context(), nil, never), file+": the result of the statement has no columns; write a select that names columns")
	}
	ctx, cancel := context.WithCancel(t.Context())
	spec := dataset.Spec{Data: []string{"many.sql"}}
	if err := spec.Forward(ctx, nil, never); err != nil {
		t.Fatal(err)
	}
	// Wait until the server waits for the reader.
	server.Exec(t, `set statement_timeout = '10s'; do $$ begin
while not exists (select from pg_stat_activity where wait_event = 'ClientWrite') loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop;
end $$`)
	cancel()
	server.Exec(t, "set lock_timeout = '10s'; drop table held")
}
