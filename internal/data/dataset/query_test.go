//go:build unix

package dataset_test

import (
	"context"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/testkit/postgrestest"
)

// A query without columns in its result is an error. A query that is not read to its end stops with
// its context, and no transaction holds the table any more.
func TestQueriesEnd(t *testing.T) {
	server := postgrestest.Start(t, "hush")
	for _, v := range append(server.Env(), "PGPASSWORD="+server.Password) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	server.Exec(t, "create table held (x float8); insert into held values (1)")
	folder(t, "none.sql", "select from generate_series(1, 100000)", "set.sql", "set local timezone = 'UTC'", "many.sql", "select x, generate_series(1, 100000000) from held")
	for _, file := range []string{"none.sql", "set.sql"} {
		spec := dataset.Spec{Data: []string{file}}
		wantError(t, spec.Keep(t.Context(), nil, "."), file+": the result of the statement has no columns; write a select that names columns")
	}
	ctx, cancel := context.WithCancel(t.Context())
	spec := dataset.Spec{Data: []string{"many.sql"}}
	if err := spec.Forward(ctx, nil); err != nil {
		t.Fatal(err)
	}
	// Wait until the server waits for the reader.
	server.Exec(t, `set statement_timeout = '10s'; do $$ begin
while not exists (select from pg_stat_activity where wait_event = 'ClientWrite') loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop;
end $$`)
	cancel()
	server.Exec(t, "set lock_timeout = '10s'; drop table held")
}
