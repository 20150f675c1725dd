// Package postgres reads the rows of a query from PostgreSQL.
//
// It finds the database and the user as every program of PostgreSQL does: by the environment
// (PGHOST, PGUSER, PGSERVICE and so on), a service file and a password file. Start reading at
// [Query].
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Column of a result holds numbers, booleans as 1 and 0 included, or text, dates and times in
// RFC 3339 included.
type Column struct {
	Name   string
	Number bool
}

// An Error is a fault in the query, in the database, or in the connection.
type Error struct {
	Line      int // line of the query, from 1; 0 if unknown
	Column    string
	Row       int // row of the result, from 1; 0 if unknown
	Msg, Hint string
}

func (e *Error) Error() string { return e.Msg }

// settings begins the transaction. It is read-only, sees one snapshot of the database, and
// makes cells independent of the server's settings.
const settings = `begin transaction isolation level repeatable read, read only;
set local client_encoding = 'UTF8';
set local datestyle = 'ISO, YMD';
set local timezone = 'UTC';
set local extra_float_digits = 1;
set local synchronize_seqscans = off`

// Query calls head with the columns of the result, and then row with each row: its cells as
// text, nil for NULL, valid until row returns. Only a few rows are in memory at a time. An
// error of head or row ends the query and is returned.
func Query(ctx context.Context, query string, head func([]Column) error, row func(cells [][]byte) error) (err error) {
	config, err := pgconn.ParseConfig("")
	if err != nil {
		return &Error{Msg: "the settings for PostgreSQL are invalid: " + line(err), Hint: "correct the environment variables that begin with PG, or the service file"}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "collabdict"
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return connectError(ctx, err)
	}
	// Closing the connection ends the transaction, which has changed nothing.
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, settings).ReadAll(); err != nil {
		return queryError(ctx, query, err)
	}
	result := conn.ExecParams(ctx, query, nil, nil, nil, nil)
	if len(result.FieldDescriptions()) == 0 {
		if result.NextRow() { // a row without columns
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

var errNoColumns = &Error{Msg: "the result of the statement has no columns", Hint: "write a select that names columns"}

// each reads a result. It leaves errors of the server to Close.
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
				return &Error{Row: n, Column: columns[i].Name, Msg: fmt.Sprintf("want a date or time in the years 1 to 9999, got %q", v), Hint: "exclude the row by a condition in the query"}
			}
		}
		if err := row(cells); err != nil {
			return err
		}
	}
	return nil
}

// queryError returns the server's error with the line of the query.
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
		Hint: "set PGHOST, PGDATABASE and PGUSER or use a service file, and put the password into a password file",
	}
}

// line returns an error as one line.
func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
