//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/postgres"
	"github.com/collabdict/collabdict/internal/testkit/postgrestest"
)

// query returns a result as text, NULL for that, or the error.
func query(ctx context.Context, text string) (lines []string, err error) {
	err = postgres.Query(ctx, text, func(columns []postgres.Column) error {
		var head []string
		for _, c := range columns {
			name := c.Name
			if c.Number {
				name += "#"
			}
			head = append(head, name)
		}
		lines = append(lines, strings.Join(head, ","))
		return nil
	}, func(cells [][]byte) error {
		var line []string
		for _, c := range cells {
			if c == nil {
				c = []byte("NULL")
			}
			line = append(line, string(c))
		}
		lines = append(lines, strings.Join(line, ","))
		return nil
	})
	return lines, err
}

// Cells have one form, whatever form and time zone the server is set to.
func TestQuery(t *testing.T) {
	server := postgrestest.Start(t, "hush, hush")
	for _, v := range server.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	t.Setenv("PGPASSWORD", server.Password)
	//nolint:dupword // a row of nulls
	server.Exec(t, `create type state as enum ('idle', 'run');
create table plant (at timestamptz, day date, local timestamp, temp float8, flow float4, n bigint, price numeric(8,2), open bool, site text, code char(4), state state);
insert into plant values ('2024-05-17 08:30:00+00', '2024-05-17', '2024-05-17 08:30', 0.1, 0.1, 9007199254740993, 1.5, true, 'nörth, "1"', 'a', 'run'),
 (null, null, null, 'NaN', null, null, null, null, null, null, null)`)
	got, err := query(t.Context(), "-- of one plant\nselect * from plant order by n; -- all")
	want := []string{
		"at,day,local,temp#,flow#,n#,price#,open#,site,code,state",
		`2024-05-17T08:30:00Z,2024-05-17T00:00:00Z,2024-05-17T08:30:00Z,0.1,0.1,9007199254740993,1.50,1,nörth, "1",a   ,run`,
		"NULL,NULL,NULL,NaN,NULL,NULL,NULL,NULL,NULL,NULL,NULL",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := query(t.Context(), "select n from plant where false"); err != nil || !reflect.DeepEqual(got, []string{"n#"}) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, c := range []struct {
		query, want string
		line, row   int
	}{
		{"select temp,\n  tempp from plant", `PostgreSQL: column "tempp" does not exist`, 2, 0},
		{"select 1; select 2", "PostgreSQL: cannot insert multiple commands into a prepared statement", 0, 0},
		{"insert into plant values (null)", "PostgreSQL: cannot execute INSERT in a read-only transaction", 0, 0},
		{"select 1 / n from (values (1), (0)) v (n)", "PostgreSQL: division by zero", 0, 0},
		{"select from generate_series(1, 3)", "the result of the statement has no columns", 0, 0},
		{"select from plant where false", "the result of the statement has no columns", 0, 0},
		{"set local timezone = 'UTC'", "the result of the statement has no columns", 0, 0},
		{"select d from (values (date '2024-01-01'), ('infinity')) v (d)", `want a date or time in the years 1 to 9999, got "infinity"`, 0, 2},
	} {
		_, err := query(t.Context(), c.query)
		var of *postgres.Error
		if !errors.As(err, &of) || of.Msg != c.want || of.Line != c.line || of.Row != c.row {
			t.Errorf("%s: got %#v", c.query, err)
		}
	}
	stop := errors.New("enough")
	if err := postgres.Query(t.Context(), "select generate_series(1, 1000000000)", func([]postgres.Column) error { return nil }, func([][]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := postgres.Query(ctx, "select generate_series(1, 1000000000)", func([]postgres.Column) error { return nil }, func([][]byte) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for name, c := range map[string]struct{ value, want string }{
		"PGPASSWORD": {"wrong, wrong", "password authentication failed"},
		"PGHOST":     {t.TempDir(), "no connection to PostgreSQL: "},
		"PGPORT":     {"many", "the settings for PostgreSQL are invalid: "},
		"PGSERVICE":  {"none", "the settings for PostgreSQL are invalid: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, c.value)
			_, err := query(t.Context(), "select 1")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "wrong") {
				t.Errorf("got %v", err)
			}
		})
	}
}
