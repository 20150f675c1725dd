package dataset

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
)

// Scan reads all files once, in order, and calls f with the rows that meet Where, in blocks.
// numbers are the rows' numbers among all rows of the files, from 1. Both arguments are valid
// until f returns; an error of f ends the scan. A fault in a file is returned after the blocks
// before it. Scan uses these fields of the Spec: Data, Where, Missing, Scored, Ignore, Columns,
// Window and Time.
func Scan(spec Spec, f func(x *mat.Dense, numbers []int) error) (Gaps, error) {
	var gaps Gaps
	files, err := Resolve(spec.Data)
	if err != nil {
		return gaps, err
	}
	spec.Ignore = trimmed(spec.Ignore)
	sch, err := spec.settle(files[0])
	if err != nil {
		return gaps, err
	}
	b := &scan{width: len(sch.features), f: f}
	if spec.Window > 0 {
		b.roll = rows.NewRoll(spec.Window, b.width)
		b.width = len(rows.WindowColumns(sch.features, spec.Window))
	}
	var shares []*share
	for _, path := range files {
		sh, err := b.file(&spec, sch, path)
		if err != nil {
			return gaps, err
		}
		shares = append(shares, sh)
		gaps.add(&sh.gaps)
	}
	if err := b.flush(); err != nil {
		return gaps, err
	}
	return gaps, spec.check(shares, files[0])
}

// A scan gathers rows into blocks.
type scan struct {
	width   int
	f       func(x *mat.Dense, numbers []int) error
	roll    *rows.Roll // nil without windows
	row     []float64  // scratch
	read    int        // rows of all files so far
	values  []float64
	numbers []int
}

func (b *scan) file(spec *Spec, sch schema, path string) (*share, error) {
	first, kept := b.read, group{}
	sh, err := spec.scan(sch, path, path, nil, func(sc *scanner) error {
		b.read++
		if train, _ := sc.role(); !train {
			return nil
		}
		if dropped, err := sc.numbers(); dropped || err != nil {
			return err
		}
		kept.train.n++
		if b.roll == nil {
			return b.add(sc.row)
		}
		begins, err := sc.begins(&kept.train, b.read-first)
		if err != nil {
			return err
		}
		if begins {
			b.roll.Restart()
		}
		b.row = b.roll.Add(b.row, sc.row)
		return b.add(b.row)
	})
	if err == nil {
		sh.groups[path] = &kept // counted by check
	}
	return sh, err
}

func (b *scan) add(row []float64) error {
	b.values, b.numbers = append(b.values, row...), append(b.numbers, b.read)
	if len(b.numbers) < rows.PerBlock {
		return nil
	}
	return b.flush()
}

func (b *scan) flush() error {
	if len(b.numbers) == 0 {
		return nil
	}
	err := b.f(mat.NewDense(len(b.numbers), b.width, b.values), b.numbers)
	b.values, b.numbers = b.values[:0], b.numbers[:0]
	return err
}
