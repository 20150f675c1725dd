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
