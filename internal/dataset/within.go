package dataset

import (
	"errors"
	"fmt"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
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
	most := max(s.Memory/s.valueSize(), 1)
	const small = 4 // as values are added, they are held up to three times
	if expected, err := expectedValues(files, len(sch.features)); err != nil {
		return nil, err
	} else if expected <= most/small {
		d, err := s.loadAs(sch, files, names, &holding{most: most})
		if err != errFull {
			return d, err
		}
	}
	d, err := s.loadAs(sch, files, names, &holding{index: true})
	if err != nil {
		return nil, err
	}
	return s.settleStreams(d, most, files, names)
}

func (s *Spec) valueSize() int64 {
	if s.Float32 {
		return 4
	}
	return 8
}

// expectedValues estimates how many values there are: in CSV, one in 8 bytes.
func expectedValues(files []string, width int) (int64, error) {
	sum := int64(0)
	for _, path := range files {
		t, err := open(path, nil)
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
	streams := []Rows{p.Train}
	if separate {
		streams = append(streams, p.Test)
	}
	values, stuck := int64(0), ""
	for _, rows := range streams {
		n, m := rows.Dims()
		values += int64(n) * int64(m)
		for _, f := range rows.(*stream).parts {
			if !f.seekable {
				stuck = f.path
			}
		}
	}
	switch {
	case values > most && stuck != "":
		return nil, &Error{
			File: stuck, Msg: fmt.Sprintf("rows of a compressed CSV file cannot be sought, and %d values take more memory than the %d bytes of --memory", values, s.Memory),
			Hint: "unpack it, convert it to Parquet, or allow more",
		}
	case values > most:
		return d, nil
	case stuck != "":
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

// held reads rows into memory.
func (s *Spec) held(rows Rows) (Rows, error) {
	defer rows.(*stream).close()
	if !s.Float32 {
		x, err := Dense(rows)
		return InMemory(x), err
	}
	n, width := rows.Dims()
	x := Single{width, make([]float32, n*width)}
	return x, Each(rows, func(block *mat.Dense, from int) error {
		for i, v := range block.RawMatrix().Data {
			x.values[from*width+i] = float32(v)
		}
		return nil
	})
}
