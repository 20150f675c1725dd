package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/consensus"
)

// addPatience adds the flag --patience of commands that wait for real members.
func addPatience(cmd *cobra.Command, patience *float64) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.Float64Var(patience, "patience", 0, "continue without a member that takes `N` times its usual time (default 3)")
	})
}

// settingsFlags choose how sums are made, for commands that do not train.
type settingsFlags struct {
	values optionFlags
	suited map[string]string // defaults of the command
}

func (s *settingsFlags) add(cmd *cobra.Command) {
	table := new(consensus.Settings).Options()
	for name, text := range s.suited {
		table.Find(name).Default = text
	}
	s.values = optionFlags{}
	section(cmd, ofSums, func(f *pflag.FlagSet) { s.values.define(f, table) })
}

func (s *settingsFlags) settings() (c consensus.Settings, err error) {
	table := c.Options()
	for name, text := range s.suited {
		if err := table.Set(name, text); err != nil {
			return c, err
		}
	}
	if err := s.values.set(table); err != nil {
		return c, err
	}
	return c, asUsage(table.Complete())
}
