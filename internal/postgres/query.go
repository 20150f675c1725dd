// Package postgres reads the rows of a query from PostgreSQL.
//
// Where the database is, and who asks, is said as to every program of PostgreSQL: by the
// environment (PGHOST, PGUSER, PGSERVICE and so on), a service file and a password file.
// Start reading at [Query].
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Column is a column of a result. Its cells are numbers, booleans as 1 and 0 among them, or
// text, dates and times as in RFC 3339 among it.
type Column struct {
	Name   string
	Number bool
}

// Error is a fault in the query, of the database or on the way there.
type Error struct {
	Line      int // of the query, from 1; 0 if it is of none
	Column    string
	Row       int // of the result, from 1; 0 if it is of none
	Msg, Hint string
}

func (e *Error) Error() string { return e.Msg }

// settings begin the transaction. It cannot write, it sees the database as it was at the
// query, and cells have one form whatever the settings of the server are.
const settings = `begin transaction isolation level repeatable read, read only;
set local client_encoding = 'UTF8';
set local datestyle = 'ISO, YMD';
set local timezone = 'UTC';
set local extra_float_digits = 1;
set local synchronize_seqscans = off`

// Query gives the columns of the result to head, and then each row to row: its cells as
// text, nil if they are NULL, until row returns. No more than a few rows are in memory at a
// time. An error of head or row ends the query and is returned.
func Query(ctx context.Context, query string, head func([]Column) error, row func(cells [][]byte) error) (err error) {
	config, err := pgconn.ParseConfig("")
	if err != nil {
		return &Error{Msg: "the settings for PostgreSQL cannot be used: " + line(err), Hint: "correct the environment variables that begin with PG, or the service file"}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "collabdict"
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return connectError(ctx, err)
	}
	// The end of the connection is that of the transaction, which has changed nothing.
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, settings).ReadAll(); err != nil {
		return queryError(ctx, query, err)
	}
	result := conn.ExecParams(ctx, query, nil, nil, nil, nil)
	if len(result.FieldDescriptions()) == 0 {
		if result.NextRow() { // a row of no columns
			return errNoColumns
		}
		if _, err := result.Close(); err != nil {
			return queryError(ctx, query, err)
		}
		return errNoColumns
	}
	if err := each(result, head, row); err != nil {
		return err
	}
	_, err = result.Close()
	return queryError(ctx, query, err)
}

var errNoColumns = &Error{Msg: "the result of the statement has no columns", Hint: "write a select that names some"}

// each goes through a result. It leaves an error of the server to Close.
func each(result *pgconn.ResultReader, head func([]Column) error, row func(cells [][]byte) error) error {
	fields := result.FieldDescriptions()
	columns, types := make([]Column, len(fields)), make([]uint32, len(fields))
	for i, f := range fields {
		columns[i], types[i] = Column{f.Name, isNumber(f.DataTypeOID)}, f.DataTypeOID
	}
	if err := head(columns); err != nil {
		return err
	}
	cells := make([][]byte, len(fields))
	for n := 1; result.NextRow(); n++ {
		for i, v := range result.Values() {
			var ok bool
			if cells[i], ok = cell(types[i], v); !ok {
				return &Error{Row: n, Column: columns[i].Name, Msg: fmt.Sprintf("want a date or a time of the years 1 to 9999, got %q", v), Hint: "leave the row out by a condition in the query"}
			}
		}
		if err := row(cells); err != nil {
			return err
		}
	}
	return nil
}

// queryError says what the server says of a query, and in which line.
func queryError(ctx context.Context, query string, err error) error {
	var of *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &of):
		return &Error{Msg: "the connection to PostgreSQL failed: " + line(err), Hint: "start again"}
	}
	out := &Error{Msg: "PostgreSQL: " + line(errors.New(of.Message)), Hint: of.Hint}
	if runes := []rune(query); of.Position > 0 && int(of.Position) <= len(runes) {
		out.Line = 1 + strings.Count(string(runes[:of.Position-1]), "\n")
	}
	return out
}

func connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{
		Msg:  "no connection to PostgreSQL: " + line(err),
		Hint: "say where it is, and who asks, by PGHOST, PGDATABASE and PGUSER or a service file, and give the password in a password file",
	}
}

// line returns an error as one line.
func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
