package rows

import (
	"context"
	"sync/atomic"

	"github.com/collabdict/collabdict"
)

// Until returns rows whose reads fail once the context has ended, so that a long pass ends with
// it. free lifts that limit. Rows in memory are returned as they are: a pass over them is
// short.
func Until(ctx context.Context, of collabdict.Rows) (rows collabdict.Rows, free func()) {
	if _, ok := of.(Matrix); ok {
		return of, func() {}
	}
	u := &until{Rows: of, ctx: ctx}
	return u, func() { u.freed.Store(true) }
}

type until struct {
	collabdict.Rows
	ctx   context.Context
	freed atomic.Bool
}

func (u *until) ReadRows(x []float64, from int) error {
	if err := u.ctx.Err(); err != nil && !u.freed.Load() {
		return err
	}
	return u.Rows.ReadRows(x, from)
}
