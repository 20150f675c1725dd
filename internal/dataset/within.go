package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/partition"
	"github.com/collabdict/collabdict/internal/rows"
)

// holding says what becomes of rows that are read.
type holding struct {
	// index holds none of them but says where they are.
	index bool
	// most, if positive, is how many values may be held; held is how many are.
	most int64
	held atomic.Int64
}

// errFull ends a reading of more values than may be held.
var errFull = errors.New("dataset: more values than may be held")

func (h *holding) add(values int) error {
	if h.most > 0 && h.held.Add(int64(values)) > h.most {
		return errFull
	}
	return nil
}

// loadWithin is load with no more in memory than Memory says. Small files are
// read at once. Others are read a first time, by which all is checked and
// counted, and a second time into memory of the right size if they fit.
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

// loadApart is load of participants with files of their own, whose rows stay there
// unless all of them together are few. Those that could not be read again are held.
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

// loadSmall is load where the size of the files tells that their values fit well
// within Memory, else nil.
func (s *Spec) loadSmall(sch schema, files, names []string) (*Dataset, error) {
	const small = 4 // as values are added, they are held up to three times
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

// mostValues is how many values Memory has room for.
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

// expectedValues estimates how many values there are: in CSV, one in 8 bytes.
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

// settleStreams takes streams into memory that fit. Those that do not must be
// seekable.
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

// stuck names a file of the stream whose rows cannot be sought, if there is one.
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
