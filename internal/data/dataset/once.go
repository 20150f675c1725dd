package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// standardInput is the name of the source "-" in messages.
const standardInput = "standard input"

// once is a source that can be read only once.
type once struct {
	name    string
	objects bool   // not CSV
	columns []kind // columns of a query result
	bytes   *io.PipeReader
	// unordered reports whether the query leaves the order of its rows open.
	unordered bool
}

// isOnce reports whether a resolved source can be read only once.
func isOnce(path string) bool { return path == standardInput || isQuery(path) }

// Input reports whether Data names standard input.
func (s *Spec) Input() bool { return slices.Contains(s.Data, "-") }

// Unordered returns the queries sent that leave the order of their rows open.
func (s *Spec) Unordered() []string { return slices.Clone(s.unordered) }

// Keep reads the sources in Data that can be read only once, standard input and query results,
// so that the Spec can be loaded any number of times. Data larger than an eighth of Memory go
// to a private file in dir, which vanishes when the process ends.
func (s *Spec) Keep(ctx context.Context, input io.Reader, dir string) error {
	return s.spool(ctx, input, func(from *once) (*spool, error) {
		to := &spool{name: from.name, objects: from.objects, columns: from.columns, dir: dir, most: (s.Memory + 7) / 8}
		if _, err := io.Copy(to, from.bytes); err != nil {
			return nil, err
		}
		to.done()
		return to, nil
	})
}

// Forward lets a single [Scan] of the Spec read these sources as it goes, without keeping them.
func (s *Spec) Forward(ctx context.Context, input io.Reader) error {
	return s.spool(ctx, input, func(from *once) (*spool, error) {
		return &spool{name: from.name, objects: from.objects, columns: from.columns, ReaderAt: &forward{from: from.bytes}}, nil
	})
}

// open opens a file or a kept source. before is nil at the first opening.
func (s *Spec) open(path string, before fs.FileInfo) (table, error) {
	if kept, ok := s.spools[path]; ok {
		before = kept
	}
	t, err := open(path, before, s.CSV)
	if err != nil {
		return nil, err
	}
	as, err := s.adapt(path, t)
	if err != nil {
		t.close()
		return nil, err
	}
	return as, nil
}

// pass declares that a source has been opened for the last time.
func (s *Spec) pass(path string) {
	if kept, ok := s.spools[path]; ok {
		if f, ok := kept.ReaderAt.(*forward); ok {
			f.passed = true
		}
	}
}

// IsDatabase reports whether a path is a database connection string instead.
func IsDatabase(path string) bool {
	return strings.Contains(path, "postgres://") || strings.Contains(path, "postgresql://") || strings.Contains(path, "password=")
}

func (s *Spec) spool(ctx context.Context, input io.Reader, read func(*once) (*spool, error)) error {
	files, err := dataFiles(s.Data)
	if err != nil {
		return err
	}
	s.spools = make(map[string]*spool)
	for _, path := range files {
		if !isOnce(path) {
			continue
		}
		var from *once
		if isQuery(path) {
			from, err = query(ctx, path)
		} else {
			from, err = sniff(piped(ctx, input))
		}
		if err == nil {
			s.spools[path], err = read(from)
		}
		if err != nil {
			return err
		}
		if from.unordered {
			s.unordered = append(s.unordered, path)
		}
	}
	return nil
}

// piped reads ahead until the context ends, also while the source is idle.
func piped(ctx context.Context, from io.Reader) *io.PipeReader {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
	}()
	return r
}

// sniff recognises standard input by its first bytes: compressed or not, CSV or JSON lines.
func sniff(from *io.PipeReader) (*once, error) {
	b := bufio.NewReaderSize(from, bufferSize)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, readError(standardInput, true, err)
		}
		b = bufio.NewReaderSize(z, bufferSize)
	}
	out := &once{name: standardInput, objects: beginsObject(b)}
	r, w := io.Pipe()
	out.bytes = r
	go func() {
		_, err := io.Copy(w, b)
		if err != nil && !errors.Is(err, context.Canceled) {
			err = readError(standardInput, true, err)
		}
		w.CloseWithError(err)
		from.Close()
	}()
	return out, nil
}

// beginsObject reports whether the first text is JSON. A read error is returned by the next
// read.
func beginsObject(b *bufio.Reader) bool {
	for n := 64; ; n *= 2 {
		first, err := b.Peek(min(n, bufferSize))
		text := strings.TrimLeft(string(bytes.TrimPrefix(first, []byte("\ufeff"))), " \t\r\n")
		if text != "" || err != nil || n >= bufferSize {
			return text != "" && (text[0] == '{' || text[0] == '[')
		}
	}
}
