package adaptation

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// course holds the results of all trials of a set, by repeat.
type course struct {
	set      *set
	unlike   map[float64][]float64            // heterogeneity by share of shuffled rows
	found    map[string]map[float64][]outcome // by method and share
	newcomer []map[string]float64
}

// repeat computes the cells of a repeat. It draws rows only if a cell is missing.
func (c *course) repeat(ctx context.Context, l *study.Lab, p plan, repeat int) error {
	if c.unlike == nil {
		c.unlike, c.found = map[float64][]float64{}, map[string]map[float64][]outcome{}
		for _, m := range methods {
			c.found[m] = map[float64][]outcome{}
		}
	}
	h := &hands{ctx: ctx, Lab: l, plan: p, set: c.set, repeat: repeat}
	for _, shuffle := range p.shuffles {
		key := fmt.Sprintf("%s shuffle=%g repeat=%d", c.set.name, shuffle, repeat+1)
		unlike, err := study.Cell(ctx, l, key+" heterogeneity", func(ctx context.Context) (float64, error) {
			members, err := h.deal(shuffle)
			if err != nil {
				return 0, err
			}
			return heterogeneity(ctx, members)
		})
		if err != nil {
			return err
		}
		c.unlike[shuffle] = append(c.unlike[shuffle], unlike)
		for _, method := range methods {
			o, err := study.Cell(ctx, l, key+" "+method, func(ctx context.Context) (outcome, error) {
				members, err := h.deal(shuffle)
				if err != nil {
					return outcome{}, err
				}
				return p.measure(ctx, p.config(method, c.set, repeat), members, repeat)
			})
			if err != nil {
				return err
			}
			c.found[method][shuffle] = append(c.found[method][shuffle], o)
		}
	}
	n, err := study.Cell(ctx, l, fmt.Sprintf("%s newcomer repeat=%d", c.set.name, repeat+1), func(ctx context.Context) (map[string]float64, error) {
		members, err := h.deal(0)
		if err != nil {
			return nil, err
		}
		return p.newcomer(ctx, c.set, members, repeat)
	})
	c.newcomer = append(c.newcomer, n)
	return err
}

// hands caches the last deal of a repeat.
type hands struct {
	*study.Lab
	ctx     context.Context
	plan    plan
	set     *set
	repeat  int
	sample  *sample
	shuffle float64
	members []member
}

func (h *hands) deal(shuffle float64) (_ []member, err error) {
	if h.members != nil && h.shuffle == shuffle {
		return h.members, nil
	}
	if err := h.set.read(h.ctx, h.Lab); err != nil {
		return nil, err
	}
	if h.sample == nil {
		s := h.set.draw(source(h.repeat, 1))
		h.sample = &s
	}
	h.shuffle = shuffle
	h.members, err = deal(*h.sample, h.plan.members, shuffle, h.repeat)
	return h.members, err
}
