package plants

import "math/rand/v2"

// faultKind is what is wrong with a sensor.
type faultKind int

const (
	stuck    faultKind = iota // holds one value
	drift                     // is off by more and more
	offset                    // shows too much or too little
	unlinked                  // varies as ever, but without the others
	faultKinds
)

const (
	faulty  = 0.12 // share of the test rows
	episode = 8    // rows that a fault lasts
	shifted = 2.2  // of an offset, and of a drift at its end, in standard deviations of a pattern
)

// fault is one sensor that is out of order for some test rows.
type fault struct {
	kind     faultKind
	sensor   int
	from, to int // rows [from, to)
	sign     float64
	held     float64
}

// plan spreads faults over the test rows, never two at a time, kinds in turn.
func plan(rows, columns int, random *rand.Rand) []fault {
	length := min(episode, max(rows/8, 1))
	n := max(int(faulty*float64(rows))/length, 1)
	if rows < 2 {
		return nil // one row cannot be of both classes
	}
	every := rows / n
	faults := make([]fault, n)
	first := random.IntN(int(faultKinds))
	for i := range faults {
		from := i*every + random.IntN(max(every-length, 0)+1)
		faults[i] = fault{
			kind:   faultKind((first + i) % int(faultKinds)),
			sensor: random.IntN(columns),
			from:   from,
			to:     min(from+length, rows),
			sign:   float64(1 - 2*random.IntN(2)),
		}
	}
	return faults
}

// spoil changes row i, which was drawn from p and which the fault covers.
func (f *fault) spoil(row []float64, i int, p *pattern, random *rand.Rand) {
	j := f.sensor
	switch f.kind {
	case stuck:
		if i == f.from { // a value as usual for the pattern it breaks in
			f.held = p.mean[j] + random.NormFloat64()
		}
		row[j] = f.held
	case drift:
		row[j] += f.sign * shifted * (0.5 + 0.5*float64(i-f.from)/float64(episode))
	case offset:
		row[j] += f.sign * shifted
	case unlinked:
		row[j] = p.mean[j] + random.NormFloat64()
	}
}
