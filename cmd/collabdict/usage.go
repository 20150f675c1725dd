package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The sections that flags stand in, in the order in which help shows them, after those
// that are in none.
const (
	ofRows     = "Rows"
	ofModels   = "Model"
	ofMixtures = "Mixtures (ggm, fedgen, dem, fedgem)"
	ofNetworks = "Networks (mtvae, bvae, cgau)"
	ofSums     = "Sums"
	ofMembers  = "Members"
	ofFaults   = "Simulated network"
)

const (
	sectionKey = "section"
	helpWidth  = 120
)

// section adds flags to a command in a section of its help.
func section(cmd *cobra.Command, title string, define func(f *pflag.FlagSet)) {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	define(f)
	f.VisitAll(func(x *pflag.Flag) { x.Annotations = map[string][]string{sectionKey: {title}} })
	cmd.Flags().AddFlagSet(f)
}

// usage writes what follows a command's description in its help.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(&b, "\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	for _, title := range []string{"", ofRows, ofModels, ofMixtures, ofNetworks, ofSums, ofMembers, ofFaults} {
		writeSection(&b, cmd, title)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

func writeSection(b *strings.Builder, cmd *cobra.Command, title string) {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(x *pflag.Flag) {
		if strings.Join(x.Annotations[sectionKey], "") == title {
			shown := *x
			if x.Value.Type() == "bool" {
				shown.Value = struct{ pflag.Value }{x.Value} // without IsBoolFlag, for which pflag shows [=true|false]
			}
			f.AddFlag(&shown)
		}
	})
	if !f.HasAvailableFlags() {
		return
	}
	if title == "" {
		title = "Flags"
	}
	fmt.Fprintf(b, "\n%s:\n%s", title, f.FlagUsagesWrapped(helpWidth))
}
