package rows

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	memory := InMemory(mat.NewDense(3, 1, []float64{1, 2, 3}))
	if kept, _ := Until(ctx, memory); kept != memory {
		t.Errorf("rows in memory come as %T", kept)
	}
	some := Subset(memory, []int{0, 2})
	limited, free := Until(ctx, some)
	x := make([]float64, 2)
	if err := limited.ReadRows(x, 0); err != nil || x[1] != 3 {
		t.Errorf("got %v and %v", x, err)
	}
	cancel()
	if err := limited.ReadRows(x, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context's end: got %v", err)
	}
	free()
	if err := limited.ReadRows(x, 0); err != nil {
		t.Errorf("without the limit: got %v", err)
	}
	if got := Source(limited); got != memory {
		t.Errorf("the whole of it is %T", got)
	}
}
