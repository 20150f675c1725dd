package together

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// Study returns the measurements on the families used to choose defaults.
func Study() study.Study {
	return of("together", "learning together beside learning alone with default settings, on the data that defaults are chosen by", tuning())
}

// Aside returns the measurements on the families that are not used to choose anything.
func Aside() study.Study {
	return of("together-aside", "the same on data set aside: run it to report, not to choose", aside())
}

func of(name, about string, families []family) study.Study {
	s := study.Study{Name: name, About: about, Version: 3}
	for _, f := range families {
		for _, set := range f.sets {
			s.Needs = append(s.Needs, set.files...)
		}
	}
	s.Run = func(ctx context.Context, l *study.Lab) error {
		p, err := planFor(l, name, families)
		if err != nil {
			return err
		}
		return p.run(ctx, l)
	}
	return s
}

// plan describes the computations. The file NAME.plan.json in the folder of the results
// overrides its defaults.
type plan struct {
	name     string
	families []family
	most     int // most rows per set
	Seeds    int `json:"seeds"`
	// Sizes are the greatest numbers of training rows per participant, ascending. The last one
	// is 0, which means all.
	Sizes    []int     `json:"sizes"`
	Methods  []string  `json:"methods"`
	Variants []variant `json:"variants"`
	Folds    bool      `json:"folds"` // whether to write the rows for other programs
}

func planFor(l *study.Lab, name string, families []family) (plan, error) {
	p := plan{name: name, families: families, most: 10_000, Seeds: 3}
	sizes := []int{50, 200, 0}
	if l.Quick {
		p.most, p.Seeds, sizes = 600, 1, []int{50}
	}
	path := l.Out(name + ".plan.json")
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			return p, study.Wrong(fmt.Sprintf("%s: %v", path, err))
		}
	}
	if p.Sizes == nil {
		p.Sizes = sizes
	}
	if p.Methods == nil {
		p.Methods = methods
	}
	if p.Variants == nil {
		p.Variants = []variant{{Name: "default"}}
	}
	return p, p.check(path)
}

func (p plan) check(path string) error {
	for _, m := range p.Methods {
		if !slices.Contains(methods, m) {
			return study.Wrong(fmt.Sprintf("%s: methods: want some of %s, got %q", path, strings.Join(methods, ", "), m))
		}
	}
	names := map[string]bool{}
	for _, v := range p.Variants {
		if v.Name == "" || names[v.Name] {
			return study.Wrong(fmt.Sprintf("%s: variants: want different names, got %q", path, v.Name))
		}
		names[v.Name] = true
		if _, err := v.task(natural, 1); err != nil {
			return study.Wrong(fmt.Sprintf("%s: variant %s: %v", path, v.Name, err))
		}
	}
	last := 0
	for i, size := range p.Sizes {
		if size != 0 && size <= last || size == 0 && i < len(p.Sizes)-1 {
			return study.Wrong(fmt.Sprintf("%s: sizes: want them ascending, and 0 (all rows) last, got %d", path, p.Sizes))
		}
		last = size
	}
	if p.Seeds < 1 || len(p.Sizes)*len(p.Methods)*len(p.Variants) == 0 {
		return study.Wrong(path + ": want at least one of seeds, sizes, methods and variants")
	}
	return nil
}

// fold identifies rows on which methods are compared.
type fold struct {
	set, way string
	size     int
	seed     int
}

func (f fold) String() string {
	size := fmt.Sprint(f.size)
	if f.size == 0 {
		size = "all"
	}
	return fmt.Sprintf("%s %s rows=%s seed=%d", f.set, f.way, size, f.seed)
}

func (p plan) run(ctx context.Context, l *study.Lab) error {
	var found results
	for _, family := range p.families {
		for _, s := range family.sets {
			d := &dealer{l: l, s: s, most: p.most}
			for _, way := range s.ways() {
				for seed := range p.Seeds {
					if err := p.folds(ctx, d, fold{set: s.name, way: way, seed: seed + 1}, &found); err != nil {
						return err
					}
				}
			}
		}
	}
	if err := found.readBaselines(l.Out(p.name + ".folds")); err != nil {
		return err
	}
	return p.report(l, found)
}

// folds computes the cells of one deal.
func (p plan) folds(ctx context.Context, d *dealer, f fold, found *results) error {
	dealt, err := study.Cell(ctx, d.l, fmt.Sprintf("%s %s seed=%d deal", f.set, f.way, f.seed), func(context.Context) ([]int, error) {
		all, err := d.deal(f)
		var own []int
		for _, h := range all {
			own = append(own, len(h.train))
		}
		return own, err
	})
	if err != nil {
		return err
	}
	before := 0
	for _, f.size = range p.Sizes {
		if f.size > 0 && slices.Max(dealt) <= before {
			continue // the same rows as for the size before
		}
		before = f.size
		found.enter(f, dealt)
		if p.Folds {
			if err := d.write(p.name, f); err != nil {
				return err
			}
		}
		for _, v := range p.Variants {
			for _, method := range p.Methods {
				o, err := study.Cell(ctx, d.l, strings.Join(append([]string{f.String(), method}, v.cell()...), " "), func(ctx context.Context) (outcome, error) {
					t, err := v.task(f.way, uint64(f.seed))
					if err != nil {
						return outcome{}, err
					}
					all, err := d.deal(f)
					if err != nil {
						return outcome{}, err
					}
					return learn(ctx, t, method, v.With, first(all, f.size))
				})
				if err != nil {
					return err
				}
				found.add(f, v.Name, method, o)
			}
		}
	}
	return nil
}

// dealer reads a set and deals its rows on first use.
type dealer struct {
	l    *study.Lab
	s    *set
	most int
	rows []row
	last fold // fold that was dealt, for all sizes
	all  []hand
}

func (d *dealer) deal(f fold) (all []hand, err error) {
	f.size = 0
	if d.all != nil && d.last == f {
		return d.all, nil
	}
	if d.rows == nil {
		if d.rows, err = d.s.read(d.l); err != nil {
			return nil, err
		}
	}
	d.last = f
	d.all, err = d.s.deal(d.rows, f.way, d.most, uint64(f.seed))
	return d.all, err
}
