package together

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// row is a row of a file.
type row struct {
	x       []float64
	anomaly bool
	owner   int  // participant, in sets that have participants
	test    bool // test row, in sets that mark test rows
}

// read returns the rows of a set in the order of its files, without rows that are neither for
// training nor to be detected.
func (s *set) read(l *study.Lab) ([]row, error) {
	l.Note("reading %s", s.name)
	var all []row
	places := map[string]int{}
	for i, name := range s.files {
		err := eachRecord(l.Path(name), func(header, cells []string) error {
			r, used, err := s.row(header, cells, i, places)
			if used {
				all = append(all, r)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// eachRecord calls f for each line below the header of a compressed CSV file. Cells are valid
// until f returns.
func eachRecord(path string, f func(header, cells []string) error) (err error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c := csv.NewReader(z)
	c.ReuseRecord = true
	var header []string
	for line := 1; ; line++ {
		cells, err := c.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil && header == nil:
			header = slices.Clone(cells)
			continue
		case err == nil:
			err = f(header, cells)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, line, err)
		}
	}
}

// row reads one line. Places numbers the participants by name.
func (s *set) row(header, cells []string, file int, places map[string]int) (r row, used bool, err error) {
	label := slices.Index(header, "label")
	if label <= s.skip {
		return r, false, fmt.Errorf("want a column label behind the features, got %s", strings.Join(header, ", "))
	}
	of := func(column string) string {
		if at := slices.Index(header, column); at >= 0 {
			return cells[at]
		}
		return ""
	}
	r.anomaly = cells[label] == s.anomaly
	switch s.kind {
	case machines:
		r.owner, r.test = file, of("split") == "test"
	case regions:
		place := of("wilderness")
		if _, ok := places[place]; !ok {
			places[place] = len(places)
		}
		r.owner = places[place]
	case fleets:
		if used, err = r.ofEngine(cells[label], of("engine"), of("split")); !used {
			return r, false, err
		}
	}
	end := label
	if s.width > 0 {
		end = min(end, s.skip+s.width)
	}
	r.x = make([]float64, end-s.skip)
	for j := range r.x {
		if r.x[j], err = strconv.ParseFloat(cells[s.skip+j], 64); err != nil {
			return r, false, fmt.Errorf("column %s: %w", header[s.skip+j], err)
		}
		if math.IsNaN(r.x[j]) || math.IsInf(r.x[j], 0) {
			return r, false, fmt.Errorf("column %s: want a finite number, got %s", header[s.skip+j], cells[s.skip+j])
		}
	}
	return r, true, nil
}

// Cycles before an engine's end: rows above healthy are normal, rows up to worn are anomalies.
// Rows between are left out.
const (
	healthy = 50
	worn    = 15
	fleet   = 20
)

func (r *row) ofEngine(left, engine, split string) (used bool, err error) {
	cycles, err := strconv.Atoi(left)
	if err != nil {
		return false, fmt.Errorf("column label: %w", err)
	}
	number, err := strconv.Atoi(engine)
	if err != nil {
		return false, fmt.Errorf("column engine: %w", err)
	}
	r.test, r.anomaly, r.owner = split == "test", cycles <= worn, (number-1)/fleet
	return cycles > healthy || r.test && r.anomaly, nil
}
