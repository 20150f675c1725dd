package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
	"github.com/collabdict/collabdict/model"
)

// With epsilon, a member's model does not tell whether the file of another has the worst row, better
// than a Gaussian mechanism may. All members are processes that read files and draw their own keys.
// The attacker has seen as many models as it judges.
func TestAttackOnProcesses(t *testing.T) {
	if os.Getenv("COLLABDICT_AUDIT") != "full" {
		t.Skip("SKIPPED: 6,400 runs of three processes take two hours; set COLLABDICT_AUDIT=full, and COLLABDICT_AUDIT_RUNS for another number than 400")
	}
	const epsilon, delta = 1.0, 0.1
	runs := 400
	if text, ok := os.LookupEnv("COLLABDICT_AUDIT_RUNS"); ok {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	bound := math.Erf(privacy.GaussianRatio(epsilon, delta) / math.Sqrt(8))
	for kind, options := range map[string][]string{"ggm": {"--rounds", "10"}, "dem": {"--rounds", "10"}, "fedgem": {"--rounds", "10"}, "fedgen": nil} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			random := rand.New(rand.NewPCG(6, 1))
			write := func(name string, last string) {
				var b strings.Builder
				fmt.Fprintln(&b, "x,y")
				for i := range 40 {
					fmt.Fprintf(&b, "%.4f,%.4f\n", 0.3+0.4*float64(i%2)+0.05*random.NormFloat64(), 0.3+0.4*float64(i%2)+0.05*random.NormFloat64())
				}
				for world, more := range []string{"", last} {
					if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint(world)), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(world), name), []byte(b.String()+more), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			write("a.csv", "1e59,-1e59\n")
			write("b.csv", "")
			write("c.csv", "")
			var seen [2][2][][]float64 // to choose a test and to judge it, without the row and with it
			for r := range 2 * runs {
				for world := range 2 {
					in := filepath.Join(dir, fmt.Sprint(world))
					args := append([]string{"up", "--data", "*.csv", "--model", kind, "--components", "1", "--hold-out", "0", "--ranges", "0,1", "--json", "--epsilon", fmt.Sprint(epsilon), "--delta", fmt.Sprint(delta)}, options...)
					if code, said := start(t, in, args...).end(t); code != 0 {
						t.Fatalf("%q: exit code %d; it said:\n%s", args, code, said)
					}
					m, err := model.ReadFile(filepath.Join(in, "collabdict-out", "c", "model.npz"))
					if err != nil {
						t.Fatal(err)
					}
					seen[r/runs][world] = append(seen[r/runs][world], sumsOfModel(m))
					if err := os.RemoveAll(filepath.Join(in, "collabdict-out")); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, lower := audittest.Discriminated(seen[0], seen[1]).Advantage()
			t.Logf("advantage %.3f, with 99 %% confidence at least %.3f; bound %.3f", got, lower, bound)
			if lower > bound {
				t.Errorf("the advantage is at least %.3f, want at most %.3f", lower, bound)
			}
		})
	}
}

// sumsOfModel returns the number of rows and the sums of rows and of their squares that a mixture has
// been made from.
func sumsOfModel(m *model.Model) []float64 {
	mixture := m.Learned.(interface{ Density() *gmm.Mixture }).Density()
	dim := mixture.Dim()
	out := make([]float64, 1+2*dim)
	for k, w := range mixture.Weights() {
		n := w * float64(m.Manifest.TotalRows)
		out[0] += n
		for j, v := range mixture.Means().RawRowView(k) {
			out[1+j] += n * v
			out[1+dim+j] += n * (v*v + mixture.Covariance(k).At(j, j))
		}
	}
	return out
}
