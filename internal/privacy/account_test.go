package privacy_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/privacy"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// Whichever members are lost or come back, all mechanisms together spend at most the loss allowed.
// Without losses of members, and with all of them as the quorum, they spend all of it.
func TestAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(3, 40).Draw(t, "members")
		colluders := rapid.IntRange(0, (size-1)/3).Draw(t, "colluders")
		quorum := rapid.IntRange(max(size/2+1, colluders+2), size).Draw(t, "quorum")
		weights := rapid.SliceOfN(rapid.Float64Range(0.01, 1), 1, 20).Draw(t, "weights")
		a := privacy.NewAccount(0.5, weights, quorum, colluders)
		spent, members := 0.0, size
		for range weights {
			planned := a.Plan(members)
			in := rapid.IntRange(quorum, size).Draw(t, "in")
			if quorum == size && planned <= 0 {
				t.Fatal("no loss is planned, although some is left")
			}
			// Each member adds a part of the noise. The parts of the members in the total that no
			// reader knows add up to the actual noise.
			part := a.Part(planned.Deviation(1), members)
			sd := part * math.Sqrt(float64(in-max(1, colluders)))
			if got := a.Remaining(planned.Deviation(1), members, in); math.Abs(got/sd-1) > 1e-12 {
				t.Fatalf("the noise is %g, want %g", got, sd)
			}
			spent += 1 / (2 * sd * sd)
			a.Spend(planned, members, in)
			members = in
		}
		if spent > 0.5+1e-9 || math.Abs(spent-float64(a.Spent())) > 1e-9 || math.Abs(float64(a.Left()+a.Spent())-0.5) > 1e-12 {
			t.Fatalf("spent %g, accounted for %g, and left %g", spent, a.Spent(), a.Left())
		}
	})
}

// Equal mechanisms of one participant have the same noise, and together spend all.
func TestOwnAccount(t *testing.T) {
	const mechanisms = 7
	a := privacy.NewOwnAccount(2, mechanisms)
	for range mechanisms {
		planned := a.Plan(1)
		if sd := planned.Deviation(math.Sqrt(3)); math.Abs(sd/math.Sqrt(3*mechanisms/4.0)-1) > 1e-12 {
			t.Errorf("a deviation of %g", sd)
		}
		a.Spend(planned, 1, 1)
	}
	if math.Abs(float64(a.Spent())-2) > 1e-12 {
		t.Errorf("spent %g of 2", a.Spent())
	}
}

// The loss of several mechanisms, such as three runs and two releases, bounds ε and δ as computed
// without its formulas.
func TestComposition(t *testing.T) {
	f, err := os.Open("testdata/composed.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil || len(records) < 18 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, record := range records[1:] {
		var numbers []float64
		for _, field := range append(strings.Fields(record[0]), record[1:]...) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, v)
		}
		ratios, epsilon, delta := numbers[:len(numbers)-2], numbers[len(numbers)-2], numbers[len(numbers)-1]
		var loss privacy.ZCDP
		for _, mu := range ratios {
			loss += privacy.GaussianZCDP(mu)
		}
		if got := loss.Epsilon(delta); math.Abs(got-epsilon) > 1e-5*epsilon {
			t.Errorf("ratios %v: ε = %.9g at δ = %g, want %g", ratios, got, delta, epsilon)
		}
		if got := privacy.Allowed(epsilon, delta); math.Abs(float64(got/loss)-1) > 1e-5 {
			t.Errorf("ratios %v: ε = %g and δ = %g allow a loss of %.9g, want %.9g", ratios, epsilon, delta, got, loss)
		}
	}
}
