package dataset

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// loadWithin loads rows within the limit Memory. It reads each file once, and copies the values of
// those that are slow to read to a spool. Rows that fit in memory go there in the end.
func (s *Spec) loadWithin(files, names []string) (*Dataset, error) {
	if s.Memory == 0 || s.Split.Kind != partition.ByFile || s.Folder == "" && slices.ContainsFunc(files, isOnce) {
		return s.load(files, names, nil)
	}
	copies := s.newSpool()
	d, err := s.load(files, names, copies)
	if err != nil {
		return nil, err
	}
	values, stuck := int64(0), ""
	for _, r := range d.streams() {
		n, m := r.Dims()
		values += int64(n) * int64(m)
		stuck = cmp.Or(stuck, r.stuck())
	}
	switch fits := values <= max(s.Memory/s.valueSize(), 1); {
	case stuck == "" && fits:
		defer copies.close()
		return d, s.hold(d)
	case stuck == "":
		if s.Folder != "" {
			d.Uncopied = copies.err
		}
		return d, nil
	case fits, len(d.Participants) > 1:
		return s.load(files, names, nil)
	}
	return nil, &Error{
		File: stuck, Msg: fmt.Sprintf("%d values take more memory than the %d bytes of --memory, and cannot be copied to %q: %v", values, s.Memory, s.Folder, copies.err),
		Hint: "allow more --memory, convert it to Parquet, or free space", cause: copies.err,
	}
}

// valueSize returns the number of bytes of a value in memory.
func (s *Spec) valueSize() int64 {
	switch {
	case s.pixels:
		return 1
	case s.Float32:
		return 4
	}
	return 8
}

// streams returns the rows that stay outside of memory.
func (d *Dataset) streams() (out []*stream) {
	for _, p := range d.Participants {
		for _, r := range []collabdict.Rows{p.Train, p.Test} {
			if s, ok := r.(*stream); ok && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// stuck returns a file of the stream that can be read only from the beginning, "" if there is
// none.
func (s *stream) stuck() string {
	for _, f := range s.parts {
		if !f.seekable && !f.copied() {
			return f.path
		}
	}
	return ""
}

// hold reads streams into memory.
func (s *Spec) hold(d *Dataset) error {
	held := make(map[collabdict.Rows]collabdict.Rows)
	for _, r := range d.streams() {
		var err error
		if held[r], err = s.held(r); err != nil {
			return err
		}
	}
	for i := range d.Participants {
		p := &d.Participants[i]
		p.Train, p.Test = held[p.Train], held[p.Test]
	}
	return nil
}

// held reads rows into memory.
func (s *Spec) held(streamed *stream) (collabdict.Rows, error) {
	defer streamed.close()
	switch {
	case s.pixels:
		return rows.Narrowed[uint8](streamed)
	case s.Float32:
		return rows.Narrowed[float32](streamed)
	}
	x, err := rows.Dense(streamed)
	return rows.InMemory(x), err
}
