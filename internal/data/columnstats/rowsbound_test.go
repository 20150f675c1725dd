package columnstats

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/netsim"
)

// A member that counts more rows than it had at the start is detected if the total exceeds all
// bounds together. The bounds of single values are those of the member with the most
// rows, and let it pass.
func TestMoreRowsThanPublished(t *testing.T) {
	const members, liar = 4, 2
	rows := func(n int) collabdict.Rows {
		x := mat.NewDense(n, 1, nil)
		x.Apply(func(i, _ int, _ float64) float64 { return float64(i%2*2 - 1) }, x)
		return matrix{x}
	}
	for _, counts := range []int{4, 30} {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(members), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
			published, sent := rows(30), rows(30)
			if rank == liar {
				published, sent = rows(4), rows(counts)
			}
			b, err := Agree(ctx, g, published)
			if err != nil {
				return err
			}
			_, err = sumMoments(ctx, g, sent, b)
			return err
		})
		const want = "members have sent 120 rows together, but had fewer than 104 at the start"
		if honest := counts == 4; honest && err != nil || !honest && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d rows where 4 were published: got %v", counts, err)
		}
	}
}
