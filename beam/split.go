package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gocloud.dev/blob"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// A split is a piece of an object that one worker reads.
type split struct {
	Object  address
	Version string // of the object
	// The lines that begin from First to before End are the split's, and the first line is its header. End
	// is 0 for the whole object.
	First, End int64
}

// splits lists the objects of some addresses, sorted by name, and divides large ones.
func splits(ctx context.Context, addresses []string, size int64) (all []split, err error) {
	for _, text := range addresses {
		of, err := parseAddress(text)
		if err != nil {
			return nil, err
		}
		found, err := list(ctx, of, size)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no object with rows is called so or begins so", of)
		}
		all = append(all, found...)
	}
	return all, nil
}

func list(ctx context.Context, of address, size int64) (all []split, err error) {
	found, err := objects(ctx, of)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		if o.Size == 0 || o.Key != of.Key && !isData(o.Key) {
			continue
		}
		s := split{Object: address{of.Bucket, o.Key}}
		if s.Version, err = version(ctx, s.Object); err != nil {
			return nil, err
		}
		if !inLines(o.Key) || o.Size < 2*size {
			all = append(all, s)
			continue
		}
		for s.First = 0; s.First < o.Size; s.First += size {
			s.End = min(o.Size, s.First+size)
			all = append(all, s)
		}
	}
	return all, nil
}

// version identifies what an object has now.
func version(ctx context.Context, of address) (text string, err error) {
	return text, try(ctx, of, func(b *blob.Bucket) error {
		a, err := b.Attributes(ctx, of.Key)
		if err == nil {
			text = fmt.Sprint(a.Size, " bytes, ", a.ETag)
		}
		return err
	})
}

// check returns an error if the object is not the one that was listed.
func (s split) check(ctx context.Context) error {
	got, err := version(ctx, s.Object)
	if err == nil && got != s.Version {
		err = fmt.Errorf("%s has changed since it was listed: it was %s, and is %s", s.Object, s.Version, got)
	}
	return err
}

func isData(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".dat", ".ndjson", ".jsonl", ".parquet", ".gz", ".npy"}, path.Ext(name))
}

// inLines reports whether an object has a header and then a row in each line.
func inLines(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".dat"}, path.Ext(name))
}

// values reads the rows of a split by the reader of the project, and returns their values and columns.
func (s split) values(ctx context.Context, r engine.Reading) (of dataset.Participant, err error) {
	dir, err := os.MkdirTemp("", "collabdict-beam-")
	if err != nil {
		return of, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, path.Base(s.Object.Key))
	err = try(ctx, s.Object, func(*blob.Bucket) error { return s.copy(ctx, file) })
	if err != nil {
		return of, err
	}
	spec, err := r.Spec(file)
	if err != nil {
		return of, err
	}
	if err := s.check(ctx); err != nil { // after the copy, so that it is of one version
		return of, err
	}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		return of, fmt.Errorf("%s: %s", s, strings.ReplaceAll(err.Error(), file, path.Base(file)))
	}
	return d.Participants[0], nil
}

func (s split) String() string {
	if s.End == 0 {
		return s.Object.String()
	}
	return fmt.Sprintf("%s, bytes %d to %d", s.Object, s.First, s.End)
}

// copy writes the split to a file of its own, with the header.
func (s split) copy(ctx context.Context, file string) error {
	b, err := open(ctx, s.Object.Bucket)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if s.End == 0 {
		r, err := b.NewReader(ctx, s.Object.Key, nil)
		if err != nil {
			return explain(s.Object, err)
		}
		defer r.Close()
		if _, err := io.Copy(to, r); err != nil {
			return explain(s.Object, err)
		}
		return to.Close()
	}
	first := max(0, s.First-1) // a line that begins at First follows the end of another
	r, err := b.NewRangeReader(ctx, s.Object.Key, first, -1, nil)
	if err != nil {
		return explain(s.Object, err)
	}
	defer r.Close()
	lines := bufio.NewReaderSize(r, 1<<16)
	at := first
	if s.First > 0 {
		header, err := b.NewRangeReader(ctx, s.Object.Key, 0, 1<<20, nil)
		if err != nil {
			return explain(s.Object, err)
		}
		line, err := bufio.NewReader(header).ReadBytes('\n')
		_ = header.Close()
		if err != nil {
			return fmt.Errorf("%s: want a header of at most 1 MB, then rows", s.Object)
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
		rest, err := lines.ReadBytes('\n')
		if at += int64(len(rest)); err != nil {
			return explain(s.Object, err)
		}
	}
	for at < s.End {
		line, err := lines.ReadBytes('\n')
		if bytes.Count(line, []byte{'"'})%2 == 1 {
			return fmt.Errorf("%s: byte %d: a cell goes on in the next line, so the object cannot be read in pieces: raise --split-kb above its size", s.Object, at)
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
		at += int64(len(line))
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return explain(s.Object, err)
		}
	}
	return to.Close()
}

// writePart writes values of rows as a part.
func writePart(ctx context.Context, to address, of lanes.Rows) (p part, err error) {
	return p, try(ctx, to, func(b *blob.Bucket) error {
		w, err := b.NewWriter(ctx, to.Key, nil)
		if err != nil {
			return err
		}
		p = part{}
		digest, out := sha256.New(), bufio.NewWriterSize(w, 1<<16)
		var text []byte
		err = lanes.EachRow(of, func(row []float64) {
			text = text[:0]
			for _, v := range row {
				text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
			}
			digest.Write(text)
			_, _ = out.Write(text) // Flush returns the error
			p.Rows++
		})
		p.Digest = digest.Sum(nil)
		return cmp.Or(err, out.Flush(), w.Close())
	})
}
