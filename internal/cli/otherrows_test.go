package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// A killed member that is started again with one more row is refused: the others could compute that
// row from the totals with all members before and after. With its own rows it comes back.
func TestAMemberComesBackWithOtherRows(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	const components = 2
	dir := t.TempDir()
	writeSites(t, dir, 5, 300)
	up := start(t, dir, "up", "--data", "data/*.csv", "--components", fmt.Sprint(components), "--standardise", "none",
		"--scheme", "exact", "--tol", "0", "--rounds", "30", "--out", "o", "--json")
	up.until(t, `: round 5/`)
	victim, file := filepath.Join("o", "site-c"), filepath.Join(dir, "data", "site-c.csv")
	kill(t, up.cmd.Process.Pid, victim)
	up.until(t, `site-c: its process ended: signal: killed`)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(slices.Concat(before, []byte("77.7777,11.1111,6.5432,212.3456\n")))
	code, said := start(t, dir, "run", "--dir", victim).end(t)
	if code != dataFailure.code || !strings.Contains(said, "began with other training rows") {
		t.Errorf("exit code %d; it said:\n%s", code, said)
	}
	if code == 0 {
		code, _ := up.end(t)
		t.Fatalf("up ended with %d; from the log of another member: %s", code, readRow(readLog(t, filepath.Join(dir, "o", "site-a")), components))
	}
	write(before)
	if code, said = start(t, dir, "run", "--dir", victim).end(t); code != 0 {
		t.Errorf("with its own rows: exit code %d; it said:\n%s", code, said)
	}
	if code, said = up.end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	if row := readRow(readLog(t, filepath.Join(dir, "o", "site-a")), components); row != "nothing" {
		t.Errorf("from the log of another member: %s", row)
	}
}

// writeSites writes a file of rows in four columns for each site.
func writeSites(t *testing.T, dir string, sites, rows int) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for s := range sites {
		var b strings.Builder
		fmt.Fprintln(&b, "a,b,c,d")
		for range rows {
			u := 3 * float64(rng.IntN(2))
			fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f\n", 70+u+rng.NormFloat64(), 10-u+rng.NormFloat64(), 6+rng.NormFloat64(), 200+5*u+rng.NormFloat64())
		}
		name := filepath.Join(dir, "data", fmt.Sprintf("site-%c.csv", 'a'+s))
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readRow returns the difference between the first and the last round with all members. A total begins
// with the number of all rows. The counts and first moments of the first mixture follow, which add up to
// those of all rows, whatever the parameters are.
func readRow(log []slotRecord, k int) string {
	const members, columns = 5, 4
	sums := func(total []float64) []float64 {
		out := make([]float64, 1+columns)
		for i, v := range total[1:][:k*(1+columns)] {
			out[i/k] += v
		}
		return out
	}
	var first, last []float64
	for _, r := range log {
		if r.round > 0 && len(r.members) == members {
			if last = sums(r.total); first == nil {
				first = last
			}
		}
	}
	for i := range last {
		last[i] -= first[i]
	}
	if math.Abs(last[0]) < 0.5 {
		return "nothing"
	}
	return fmt.Sprintf("%.6f more rows, which add up to %.5f", last[0], last[1:])
}
