package multitask

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/testkit"
)

// machines returns the Server Machine Dataset, one machine per participant, its columns
// standardised by its own rows.
func machines(t *testing.T) (names []string, train, test []Rows, labels [][]float64) {
	folder := testkit.OutsidePath(t, "data", "smd")
	data, err := dataset.LoadAll(dataset.Spec{
		Data:  []string{filepath.Join(folder, cmp.Or(os.Getenv("COLLABDICT_MACHINES"), "machine-2-*")+".csv.gz")},
		Label: "label", Where: dataset.Condition{Column: "split", Value: "train"},
		TestWhere: dataset.Condition{Column: "split", Value: "test"}, Limit: number(t, "COLLABDICT_LIMIT", 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range data.Participants {
		s, _, err := rows.Own(p.Train)
		if err != nil {
			t.Fatal(err)
		}
		names, labels = append(names, p.Name), append(labels, p.TestLabels)
		train, test = append(train, s.Copy(p.Train)), append(test, s.Rows(p.Test))
	}
	return names, train, test, labels
}

func number(t *testing.T, name string, unset int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(unset)))
	if err != nil {
		t.Fatal(name, err)
	}
	return n
}

// TestServerMachines measures the effect of learning together on the areas under the curves of
// machines of the Server Machine Dataset. COLLABDICT_MACHINES selects machines other than
// machine-2-*. COLLABDICT_LIMIT sets the rows of each machine, COLLABDICT_ROUNDS the rounds,
// COLLABDICT_STEPS the local steps, and COLLABDICT_SEED the start.
func TestServerMachines(t *testing.T) {
	names, rows, test, labels := machines(t)
	config := Config{
		Latent: 8, Hidden: []int{64}, Batch: 128,
		Seed: uint64(number(t, "COLLABDICT_SEED", 1)), LocalSteps: number(t, "COLLABDICT_STEPS", 0),
	}
	rounds := number(t, "COLLABDICT_ROUNDS", 3000)
	began := time.Now()
	together, trace := train(t, config, rounds, rows...)
	t.Logf("%d machines, %d rounds in %.1f s, objective %.2f", len(names), rounds, time.Since(began).Seconds(), trace[rounds-1])
	var means [4]float64
	for s, name := range names {
		alone, _ := train(t, config, rounds, rows[s])
		line := name
		for i, l := range []*Learner{alone[0], together[s]} {
			h, err := l.Health()
			if err != nil {
				t.Fatal(err)
			}
			anomaly, _, _ := scored(t, l.Model(), 20, test[s])
			pr, _ := metrics.PRAUC(anomaly, labels[s])
			roc, _ := metrics.ROCAUC(anomaly, labels[s])
			means[2*i] += pr / float64(len(names))
			means[2*i+1] += roc / float64(len(names))
			line += fmt.Sprintf("  PR %.3f ROC %.3f information %.2f active %d scaled %.2g", pr, roc, h.Information, h.Active, l.Scaled())
			if h.Collapsed {
				t.Errorf("%s: collapsed: %+v", name, h)
			}
		}
		t.Log(line)
	}
	t.Logf("mean, alone: PR %.3f ROC %.3f; together: PR %.3f ROC %.3f", means[0], means[1], means[2], means[3])
}
