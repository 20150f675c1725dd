package lanes

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// Elsewhere is implemented by rows that may be on other machines, or be made of such rows.
type Elsewhere interface {
	Rows
	// Origin returns the rows on other machines and the steps from them to these; nil if all are here.
	Origin() *Origin
}

// An Origin has rows on other machines, and the steps from them to others.
type Origin struct {
	Source Source
	Steps  []Step // in their order
}

// A Source has rows on other machines, and runs jobs there.
type Source interface {
	Rows
	// Digest covers all values in their order.
	Digest() []byte
	// Run runs the job of a name over the rows that follow from the source's by the steps, and returns the
	// encoded results of all lanes, in order. The number of lanes is given.
	Run(steps []Step, lanes int, job string, args []byte) ([][]byte, error)
}

// A Step makes rows of others.
type Step struct {
	Name string
	Args []byte // encoded
}

// OriginOf returns the origin of rows; nil if all are here.
func OriginOf(x Rows) *Origin {
	switch x := x.(type) {
	case Elsewhere:
		return x.Origin()
	case Source:
		return &Origin{Source: x}
	}
	return nil
}

// A Maker makes rows of others, by arguments A.
type Maker[A any] struct{ name string }

// makers and jobs are those with a name. They do not change after the packages are initialised.
var (
	makers = map[string]func(x Rows, args []byte) (Rows, error){}
	jobs   = map[string]func(args []byte) (func(*Lane) ([]byte, error), error){}
)

// NewMaker returns a maker of a name that no other has.
func NewMaker[A any](name string, make func(x Rows, args A) Rows) Maker[A] {
	if makers[name] != nil {
		panic("lanes: two makers are called " + name)
	}
	makers[name] = func(x Rows, encoded []byte) (Rows, error) {
		args, err := decode[A](encoded)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", name, err)
		}
		return make(x, args), nil
	}
	return Maker[A]{name}
}

// Of returns the origin of the rows that the maker makes of those from another; nil for nil.
func (m Maker[A]) Of(from *Origin, args A) *Origin {
	if from == nil {
		return nil
	}
	steps := from.Steps[:len(from.Steps):len(from.Steps)]
	return &Origin{from.Source, append(steps, Step{m.name, encode(args)})}
}

// Make makes rows by steps.
func Make(x Rows, steps []Step) (Rows, error) {
	for _, s := range steps {
		of := makers[s.Name]
		if of == nil {
			return nil, fmt.Errorf("step %q is unknown: use the same release everywhere", s.Name)
		}
		var err error
		if x, err = of(x, s.Args); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Read is ReadRows for n rows of dim columns that have an origin: one job reads them all.
func (o *Origin) Read(x []float64, from, n, dim int) error {
	encoded, err := o.Source.Run(o.Steps, Count(n), valuesOf.name, encode(span{from, from + len(x)/dim}))
	if err != nil {
		return err
	}
	for number, text := range encoded {
		values, err := decode[[]float64](text)
		if err != nil {
			return fmt.Errorf("rows, lane %d: %w", number, err)
		}
		x = x[copy(x, values):]
	}
	if len(x) > 0 {
		return fmt.Errorf("rows: want %d values more than were read", len(x))
	}
	return nil
}

// A span is the rows from the first to before the end.
type span struct{ First, End int }

// valuesOf returns the values of the rows of a span that are in a lane.
var valuesOf = NewJob("values", func(l *Lane, of span) ([]float64, error) {
	first, end := max(of.First, l.first*BlockRows), min(of.End, l.last*BlockRows, l.Rows)
	if first >= end {
		return nil, nil
	}
	values := make([]float64, (end-first)*l.Dim)
	return values, l.rows.ReadRows(values, first)
})

func encode(v any) []byte {
	if v == struct{}{} {
		return nil
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic("lanes: " + err.Error()) // a type of this program that cannot be encoded
	}
	return b.Bytes()
}

func decode[T any](encoded []byte) (v T, err error) {
	if any(v) == struct{}{} {
		return v, nil
	}
	return v, gob.NewDecoder(bytes.NewReader(encoded)).Decode(&v)
}
