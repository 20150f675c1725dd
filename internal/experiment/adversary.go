package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/consensus/attack"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/collabdict/collabdict/netsim"
)

// Adversary is how many members of a simulation work together to learn the others'
// vectors; 0 is nobody. They follow the protocol. Which ones follows from the seed.
type Adversary int

// ParseAdversary reads observer, or coalition:t=5.
func ParseAdversary(s string) (Adversary, error) {
	switch kind, count, _ := strings.Cut(s, ":t="); {
	case s == "":
		return 0, nil
	case s == "observer":
		return 1, nil
	case kind == "coalition":
		if t, err := strconv.Atoi(count); err == nil && t > 0 {
			return Adversary(t), nil
		}
	}
	return 0, fmt.Errorf("want observer, or coalition:t=N with N members of at least 1, got %q", s)
}

// Check reports an adversary that has nobody left to learn about.
func (a Adversary) Check(size int) error {
	if int(a) > size-1 {
		return fmt.Errorf("adversary: want at most %d members of %d, so that one is left to learn about, got %d", size-1, size, int(a))
	}
	return nil
}

// watch returns the recorder of the adversary in a simulation.
func (a Adversary) watch(t task.Task, size int) *attack.Recorder {
	return attack.NewRecorder(t.Settings, netsim.RunID(t.Seed), size, attack.Coalition(t.Seed, size, int(a)))
}

// enter enters what the adversary has recovered, and the prediction for as many.
func (a Adversary) enter(run *report.Run, t task.Task, names []string, r *attack.Recorder) {
	r.Finish()
	p := ProtectionAgainst(t.Settings, len(names), int(a))
	for _, m := range r.Members() {
		p.Adversary = append(p.Adversary, names[m])
	}
	breached, perSum := r.Breached(), r.PerSum()
	p.BreachMeasured, p.BreachPerSum = &breached, &perSum
	run.Protection = p
}
