package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/collabdict/collabdict/internal/data/postgres"
)

// queryFormat is a query in a file; its result is the rows.
var queryFormat = &fileFormat{endings: []string{".sql"}}

// mostQuery bounds the bytes of a query.
const mostQuery = 1 << 20

// ordered matches a clause that orders rows.
var ordered = regexp.MustCompile(`(?i)\border\s+by\b`)

// query sends the query in a file to PostgreSQL, and streams the rows as CSV when they are read.
func query(ctx context.Context, path string) (*once, error) {
	f, err := openFile(path, nil)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if f.size() > mostQuery {
		return nil, &Error{File: path, Msg: "the query is longer than a MiB", Hint: "give a file with a query"}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	out := &once{name: path, from: newFeed(ctx, nil), unordered: !ordered.Match(text)}
	// begun is closed when the columns are known. An error before that is returned; a later one
	// reaches the reader through the feed.
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		b := bufio.NewWriterSize(out.from, bufferSize)
		line := []byte(nil)
		err := postgres.Query(ctx, string(text), func(columns []postgres.Column) error {
			header, names := make([]string, len(columns)), make([][]byte, len(columns))
			for i, c := range columns {
				header[i] = strings.TrimSpace(c.Name)
				names[i] = []byte(header[i])
				out.columns = append(out.columns, kindText)
				if c.Number {
					out.columns[i] = kindNumber
				}
			}
			if err := checkNames(path, 0, header); err != nil {
				return err
			}
			close(begun)
			line = csvLine(line[:0], names)
			_, err := b.Write(line)
			return err
		}, func(cells [][]byte) error {
			line = csvLine(line[:0], cells)
			_, err := b.Write(line)
			return err
		})
		if err == nil {
			err = b.Flush()
		}
		err = queryError(path, err)
		ended <- err
		out.from.end(err)
	}()
	select {
	case <-begun:
		return out, nil
	case err := <-ended:
		return nil, err
	}
}

// queryError adds the file of the query.
func queryError(path string, err error) error {
	var fault *postgres.Error
	if !errors.As(err, &fault) {
		return err
	}
	return &Error{File: path, Line: fault.Line, Row: fault.Row, Column: fault.Column, Msg: fault.Msg, Hint: fault.Hint}
}

// csvLine appends cells as a line of CSV.
func csvLine(b []byte, cells [][]byte) []byte {
	for i, c := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		special := bytes.ContainsAny(c, "\",\r\n")
		blank := len(c) == 0 && len(cells) == 1 // the line would be blank
		if !special && !blank {
			b = append(b, c...)
			continue
		}
		b = append(b, '"')
		b = append(b, bytes.ReplaceAll(c, []byte{'"'}, []byte(`""`))...)
		b = append(b, '"')
	}
	return append(b, '\n')
}

// resultTable is the result of a query, as CSV. The database knows the types of its columns. A
// place in it is the number of a row, because nobody sees the lines.
type resultTable struct {
	*csvFile
	columns []kind
}

// format, kinds and read implement table.
func (t *resultTable) format() string { return "PostgreSQL" }

func (t *resultTable) kinds(int) ([]kind, place, error) {
	if _, err := t.next(); err != nil {
		return nil, place{}, err
	}
	return t.columns, place{row: 1}, nil
}

func (t *resultTable) read(features, others []int) (rowReader, error) {
	if err := checkKinds(t.path, t.header(), t.columns, features, others); err != nil {
		return nil, err
	}
	_, err := t.csvFile.read(features, others)
	return &resultRows{csvFile: t.csvFile}, err
}

// resultRows reads the rows of a result, and counts them for their places.
type resultRows struct {
	*csvFile
	row int // present row, from 1
}

// next and seek implement rowReader.
func (r *resultRows) next() (place, error) {
	line, err := r.csvFile.next()
	r.row++
	return place{row: r.row, offset: line.offset}, err
}

func (r *resultRows) seek(to place) error {
	r.row = to.row - 1
	return r.csvFile.seek(to)
}
