package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/internal/scenario"
)

// scenarioFlags describe a simulated network and its adversaries.
type scenarioFlags struct {
	faults, file, adversary string
	totals                  string
}

func (s *scenarioFlags) add(cmd *cobra.Command) {
	section(cmd, ofFaults, func(f *pflag.FlagSet) {
		f.StringVar(&s.faults, "faults", "", "`LIST` of faults, such as 'crash:node=3,at=2m;churn:rate=0.05;loss:rate=0.01'")
		f.StringVar(&s.file, "scenario", "", "read the network and its faults from a YAML `FILE`")
		f.StringVar(&s.adversary, "adversary", "", "make members `WHO` adversaries. Curious: observer (one member) or coalition:t=N, which combine what they see, or differencing, which subtracts totals. Dishonest: silent, garbage, replay, equivocate, scale, flip or nan, such as scale:node=3,factor=100")
		f.StringVar(&s.totals, "totals", rosterTotals, "whose statistics `TOTALS` contain: all members of the roster, each as last counted (roster), or only members that are present (view), which reveals those of a lost member")
	})
}

// The values of --totals.
const (
	rosterTotals = "roster"
	viewTotals   = "view"
)

// conditions parses the flags.
func (s *scenarioFlags) conditions() (simulate.Conditions, error) {
	var c simulate.Conditions
	if s.totals != rosterTotals && s.totals != viewTotals {
		return c, &flagError{"totals", fmt.Sprintf("want %s or %s, got %q", rosterTotals, viewTotals, s.totals), ""}
	}
	c.ViewTotals = s.totals == viewTotals
	all := &scenario.Scenario{}
	if s.file != "" {
		f, err := os.Open(s.file)
		if err != nil {
			return c, &flagError{"scenario", err.Error(), ""}
		}
		defer f.Close()
		read, err := scenario.ParseYAML(s.file, f)
		if err != nil {
			return c, &usageError{err, ""}
		}
		all.Add(read)
	}
	all.ReadFile = func(name string) (io.ReadCloser, error) {
		if s.file != "" && !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(s.file), name)
		}
		return os.Open(name)
	}
	faults, err := scenario.Parse("--faults", s.faults)
	if err != nil {
		return c, &usageError{err, ""}
	}
	all.Add(faults)
	if kind, _, _ := strings.Cut(s.adversary, ":"); scenario.IsAdversary(kind) {
		cheats, err := scenario.Parse("--adversary", s.adversary)
		if err != nil {
			return c, &usageError{err, ""}
		}
		all.Add(cheats)
	} else if c.Adversary, err = simulate.ParseAdversary(s.adversary); err != nil {
		return c, &flagError{"adversary", err.Error(), "or name one that does not follow the protocol, such as silent:node=3"}
	}
	c.Scenario = all
	return c, nil
}
