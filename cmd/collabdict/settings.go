package main

import (
	"fmt"

	"github.com/collabdict/collabdict/node"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addPatience adds the flag --patience of commands that wait for real members.
func addPatience(cmd *cobra.Command, patience *float64) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.Float64Var(patience, "patience", 0, "go on without a member that takes `N` times as long as usual (default 3)")
	})
}

// addDurability adds the flag --durability of commands that keep a record on disk.
func addDurability(cmd *cobra.Command, durability *string) {
	section(cmd, ofSums, func(f *pflag.FlagSet) {
		f.StringVar(durability, "durability", "", "what of a sum under way is on disk: disk (default), all that a process needs to go on, or memory, nothing")
	})
}

func checkDurability(durability string) error {
	switch node.Durability(durability) {
	case "", node.OnDisk, node.InMemory:
		return nil
	}
	return &usageError{fmt.Sprintf("--durability: want %s or %s, got %q", node.OnDisk, node.InMemory, durability), ""}
}
