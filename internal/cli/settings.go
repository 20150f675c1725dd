package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node"
)

// addPatience adds the flag --patience of commands that wait for real members.
func addPatience(cmd *cobra.Command, patience *float64) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.Float64Var(patience, "patience", 0, "continue without a member that takes `N` times its usual time (default 3)")
	})
}

// addDurability adds the flag --durability of commands that keep a record on disk.
func addDurability(cmd *cobra.Command, durability *string) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.StringVar(durability, "durability", "", "`PLACE` to keep the state of a sum under way: disk (default), so that a restarted process can resume it, or memory")
	})
}

func checkDurability(durability string) error {
	switch node.Durability(durability) {
	case "", node.OnDisk, node.InMemory:
		return nil
	}
	return &usageError{fmt.Sprintf("--durability: want %s or %s, got %q", node.OnDisk, node.InMemory, durability), ""}
}

// settingsFlags choose how sums are made, for commands that do not train.
type settingsFlags struct {
	values map[string]*optionFlag
	suited map[string]string // defaults of the command
}

func (s *settingsFlags) add(cmd *cobra.Command) {
	s.values = map[string]*optionFlag{}
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		for _, o := range new(consensus.Settings).Options() {
			if text, ok := s.suited[o.Name]; ok {
				o.Default = text
			}
			defineOption(f, s.values, o)
		}
	})
}

func (s *settingsFlags) settings() (c consensus.Settings, err error) {
	table := c.Options()
	for name, text := range s.suited {
		if err := table.Set(name, text); err != nil {
			return c, err
		}
	}
	for _, o := range table {
		if given := s.values[o.Name].given; len(given) > 0 {
			if err := o.Set(given[len(given)-1]); err != nil {
				return c, asUsage(err)
			}
		}
	}
	return c, asUsage(table.Complete())
}
