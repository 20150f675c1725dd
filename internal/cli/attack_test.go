package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
	"github.com/collabdict/collabdict/model"
)

// With epsilon, a member's model does not tell whether the file of another has the worst row, better
// than a Gaussian mechanism may. All members are processes that read files and draw their own keys.
// The attacker has seen as many models as it judges. With a large epsilon, and so little noise, it does
// better.
func TestAttackOnProcesses(t *testing.T) {
	testkit.FullOnly(t) // 4,800 runs of three processes take two hours
	const delta = 0.1
	bound := math.Erf(privacy.GaussianRatio(1, delta) / math.Sqrt(8))
	for kind, attack := range map[string]struct {
		options []string
		large   float64
	}{
		"ggm": {[]string{"--rounds", "10"}, 16},
		"dem": {[]string{"--rounds", "10"}, 16},
		// A model has little of the last noisy sums, and the noise of all members is independent.
		"fedgem": {[]string{"--rounds", "2"}, 100},
		"fedgen": {nil, 100},
	} {
		for _, c := range []struct {
			epsilon float64
			runs    int // of each world, to choose a test and to judge it
		}{{1, 200}, {attack.large, 100}} {
			t.Run(fmt.Sprintf("%s, epsilon %g", kind, c.epsilon), func(t *testing.T) {
				dir := t.TempDir()
				writeNeighbours(t, dir)
				var seen [2][2][][]float64 // to choose a test and to judge it, without the row and with it
				for r := range 2 * c.runs {
					for world := range 2 {
						in := filepath.Join(dir, fmt.Sprint(world))
						args := append([]string{"up", "--data", "*.csv", "--model", kind, "--components", "1", "--hold-out", "0", "--ranges", "0,1", "--json", "--epsilon", fmt.Sprint(c.epsilon), "--delta", fmt.Sprint(delta)}, attack.options...)
						if code, said := start(t, in, args...).end(t); code != 0 {
							t.Fatalf("%q: exit code %d; it said:\n%s", args, code, said)
						}
						m, err := model.ReadFile(filepath.Join(in, "collabdict-out", "c", "model.npz"))
						if err != nil {
							t.Fatal(err)
						}
						seen[r/c.runs][world] = append(seen[r/c.runs][world], sumsOfModel(m))
						if err := os.RemoveAll(filepath.Join(in, "collabdict-out")); err != nil {
							t.Fatal(err)
						}
					}
				}
				got, lower := audittest.Discriminated(seen[0], seen[1]).Advantage()
				t.Logf("advantage %.3f, with 99 %% confidence at least %.3f; bound %.3f", got, lower, bound)
				if c.epsilon == 1 && lower > bound {
					t.Errorf("the advantage is at least %.3f, want at most %.3f", lower, bound)
				}
				if c.epsilon > 1 && lower <= bound {
					t.Errorf("with little noise, the advantage is at least %.3f, want above %.3f", lower, bound)
				}
			})
		}
	}
}

// writeNeighbours writes the files of three members to the folders 0 and 1. In folder 1, the first file
// has one row more, the worst.
func writeNeighbours(t *testing.T, dir string) {
	t.Helper()
	random := rand.New(rand.NewPCG(6, 1))
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		var b strings.Builder
		fmt.Fprintln(&b, "x,y")
		for i := range 40 {
			middle := 0.3 + 0.4*float64(i%2)
			fmt.Fprintf(&b, "%.4f,%.4f\n", middle+0.05*random.NormFloat64(), middle+0.05*random.NormFloat64())
		}
		for world := range 2 {
			if world == 1 && name == "a.csv" {
				fmt.Fprintln(&b, "1e59,-1e59")
			}
			folder := filepath.Join(dir, fmt.Sprint(world))
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sumsOfModel returns the number of rows and the sums of rows and of their products that a mixture has
// been made from.
func sumsOfModel(m *model.Model) []float64 {
	mixture := m.Learned.(interface{ Density() *gmm.Mixture }).Density()
	dim := mixture.Dim()
	out := make([]float64, 1+dim+dim*(dim+1)/2)
	for k, w := range mixture.Weights() {
		n, mean, covariance := w*float64(m.Manifest.TotalRows), mixture.Means().RawRowView(k), mixture.Covariance(k)
		out[0] += n
		at := 1 + dim
		for i, v := range mean {
			out[1+i] += n * v
			for j := i; j < dim; j++ {
				out[at] += n * (v*mean[j] + covariance.At(i, j))
				at++
			}
		}
	}
	return out
}
