package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
	Size    int64  // of the object
	// The lines of text, or the row groups of Parquet, that begin in these bytes are the split's.
	dataset.Bytes
}

// whole reports whether a split is all of its object.
func (s split) whole() bool { return s.First == 0 && s.End == s.Size }

// wholeObjects is a size of pieces that no object has.
const wholeObjects = math.MaxInt64

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
		s := split{Object: address{of.Bucket, o.Key}, Size: o.Size}
		if s.Version, err = version(ctx, s.Object); err != nil {
			return nil, err
		}
		step := o.Size
		if o.Size/2 >= size && inPieces(o.Key) {
			step = size
		}
		for s.First = 0; s.First < o.Size; s.First = s.End {
			s.End = min(o.Size, s.First+step)
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
		err = fault{fmt.Errorf("%s has changed since it was listed: it was %s, and is %s", s.Object, s.Version, got)}
	}
	return err
}

func isData(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".dat", ".ndjson", ".jsonl", ".parquet", ".gz", ".npy"}, path.Ext(name))
}

// inPieces reports whether an object may be read in pieces: by lines below a header, or by row groups.
func inPieces(name string) bool { return inLines(name) || inGroups(name) }

func inLines(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".txt", ".dat"}, path.Ext(name))
}

func inGroups(name string) bool { return path.Ext(name) == ".parquet" }

// values reads the rows of a split by the reader of the project, and returns their values and columns. Without rows,
// it returns neither.
func (s split) values(ctx context.Context, r engine.Reading) (of dataset.Participant, err error) {
	return of, s.local(ctx, func(file string, rows *dataset.Bytes) error {
		spec, err := r.Spec(file)
		if err != nil {
			return err
		}
		spec.Piece = rows
		d, err := dataset.LoadOne(spec)
		if err != nil {
			return err
		}
		of = d.Participants[0]
		return nil
	})
}

func (s split) String() string {
	if s.whole() {
		return s.Object.String()
	}
	return fmt.Sprintf("%s, bytes %d to %d", s.Object, s.First, s.End)
}

// local calls f with a copy of what the reader needs of a split, and the bytes that its rows begin in. It does not call f
// if there are none. Errors of f name the split.
func (s split) local(ctx context.Context, f func(file string, rows *dataset.Bytes) error) error {
	dir, err := os.MkdirTemp("", "collabdict-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, path.Base(s.Object.Key))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	rows, err := (&localCopy{ctx, s, file}).fill()
	err = errors.Join(err, file.Close())
	if changed := s.check(ctx); changed != nil { // after the copy, so that it is of one version
		return changed
	}
	if err == nil && rows.First == rows.End {
		return nil
	}
	if err == nil {
		err = f(name, &rows)
	}
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), name, s.String())
	if !strings.HasPrefix(text, s.String()) {
		text = s.String() + ": " + text
	}
	if errors.Is(err, dataset.ErrPiece) {
		text += "; raise --split-kb above its size"
	}
	named := errors.New(text)
	if _, ok := errors.AsType[*dataset.Error](err); ok || errors.Is(err, dataset.ErrPiece) {
		return fault{named}
	}
	return named
}

// writePart writes values of rows as a part.
func writePart(ctx context.Context, to address, of lanes.Rows) (p part, err error) {
	return p, try(ctx, to, func(b *blob.Bucket) error {
		w, err := b.NewWriter(ctx, to.Key, private)
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
