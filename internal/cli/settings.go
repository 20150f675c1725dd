package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/option"
)

// addPatience adds the flag --patience of commands that wait for real members.
func addPatience(cmd *cobra.Command, patience *float64) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.Float64Var(patience, "patience", 0, "continue without a member that takes `N` times its usual time (default 3)")
	})
}

// settingsFlags choose how sums are made, for benchmarks. Their default is the fastest scheme for
// long vectors.
type settingsFlags struct{ values optionFlags }

func benchOptions(s *consensus.Settings) option.Table {
	table := s.Options()
	scheme := table.Find("scheme")
	s.Scheme, scheme.Default = consensus.Exact, string(consensus.Exact)
	return table
}

func (s *settingsFlags) add(cmd *cobra.Command) {
	s.values = optionFlags{}
	section(cmd, ofSums, func(f *pflag.FlagSet) { s.values.define(f, benchOptions(new(consensus.Settings))) })
}

func (s *settingsFlags) settings() (c consensus.Settings, err error) {
	table := benchOptions(&c)
	if err := s.values.set(table); err != nil {
		return c, err
	}
	return c, asUsage(table.Complete())
}
