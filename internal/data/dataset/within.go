package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// holding says how rows are kept as they are read.
type holding struct {
	// index records places instead of rows.
	index bool
	// most, if positive, bounds the values held; held counts them.
	most int64
	held atomic.Int64
}

// errFull ends a reading that exceeds the bound.
var errFull = errors.New("dataset: more values than may be held")

func (h *holding) add(values int) error {
	if h.most > 0 && h.held.Add(int64(values)) > h.most {
		return errFull
	}
	return nil
}

// loadWithin loads within the limit Memory. Small files are read at once. Others are read
// twice: first to check and count, then into memory of the right size if they fit.
func (s *Spec) loadWithin(files, names []string) (*Dataset, error) {
	if s.Memory == 0 {
		return s.load(files, names)
	}
	sch, err := s.settle(files[0])
	if err != nil {
		return nil, err
	}
	if d, err := s.loadSmall(sch, files, names); d != nil || err != nil {
		return d, err
	}
	d, err := s.loadAs(sch, files, names, &holding{index: true})
	if err != nil {
		return nil, err
	}
	return s.settleStreams(d, s.mostValues(), files, names)
}

// loadApart loads participants with their own files. Rows stay there unless all together are
// few. Sources that cannot be read again are held.
func (s *Spec) loadApart(files, names []string) (*Dataset, error) {
	if s.Memory == 0 || s.Split.Kind != partition.ByFile {
		return s.load(files, names)
	}
	sch, err := s.settle(files[0])
	if err != nil {
		return nil, err
	}
	if d, err := s.loadSmall(sch, files, names); d != nil || err != nil {
		return d, err
	}
	d, err := s.loadAs(sch, files, names, &holding{index: true})
	if err == nil && slices.ContainsFunc(d.Participants, func(p Participant) bool { return stuck(p.Train)+stuck(p.Test) != "" }) {
		return s.load(files, names)
	}
	return d, err
}

// loadSmall loads files whose size shows that their values fit well within Memory, and returns
// nil for others.
func (s *Spec) loadSmall(sch schema, files, names []string) (*Dataset, error) {
	const small = 4 // while they grow, values take up to three times their size
	expected, err := s.expectedValues(files, len(sch.features))
	if err != nil || expected > s.mostValues()/small {
		return nil, err
	}
	d, err := s.loadAs(sch, files, names, &holding{most: s.mostValues()})
	if errors.Is(err, errFull) {
		return nil, nil
	}
	return d, err
}

// mostValues returns the number of values that fit in Memory.
func (s *Spec) mostValues() int64 { return max(s.Memory/s.valueSize(), 1) }

func (s *Spec) valueSize() int64 {
	switch {
	case s.pixels:
		return 1
	case s.Float32:
		return 4
	}
	return 8
}

// expectedValues estimates the number of values: in CSV, one per 8 bytes.
func (s *Spec) expectedValues(files []string, width int) (int64, error) {
	sum := int64(0)
	for _, path := range files {
		t, err := s.open(path, nil)
		if err != nil {
			return 0, err
		}
		values := t.info().Size() / 8
		if n := t.total(); n >= 0 {
			values = int64(n) * int64(width)
		} else if !t.seekable() {
			values *= 5 // compressed
		}
		sum += values
		t.close()
	}
	return sum, nil
}

// settleStreams loads streams that fit into memory. The others must be seekable.
func (s *Spec) settleStreams(d *Dataset, most int64, files, names []string) (*Dataset, error) {
	p := &d.Participants[0]
	separate := s.TestWhere.Given() && p.Test != nil
	streams := []collabdict.Rows{p.Train}
	if separate {
		streams = append(streams, p.Test)
	}
	values, unsought := int64(0), ""
	for _, rows := range streams {
		n, m := rows.Dims()
		values += int64(n) * int64(m)
		unsought = cmp.Or(unsought, stuck(rows))
	}
	switch {
	case values > most && unsought != "":
		return nil, &Error{
			File: unsought, Msg: fmt.Sprintf("rows of a compressed file cannot be sought, and %d values take more memory than the %d bytes of --memory", values, s.Memory),
			Hint: "unpack it, convert it to Parquet, or allow more",
		}
	case values > most:
		return d, nil
	case unsought != "":
		return s.load(files, names)
	}
	var err error
	if p.Train, err = s.held(p.Train); err != nil {
		return nil, err
	}
	if !separate {
		p.Test = p.Train
		return d, nil
	}
	p.Test, err = s.held(p.Test)
	return d, err
}

// stuck returns a file of the stream that cannot be sought, "" if there is none.
func stuck(rows collabdict.Rows) string {
	if s, ok := rows.(*stream); ok {
		for _, f := range s.parts {
			if !f.seekable {
				return f.path
			}
		}
	}
	return ""
}

// held reads rows into memory.
func (s *Spec) held(streamed collabdict.Rows) (collabdict.Rows, error) {
	defer streamed.(*stream).close()
	switch {
	case s.pixels:
		return rows.Narrowed[uint8](streamed)
	case s.Float32:
		return rows.Narrowed[float32](streamed)
	}
	x, err := rows.Dense(streamed)
	return rows.InMemory(x), err
}
