package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// The sections of flags, in the order in which help shows them, after flags without a section.
const (
	ofRows    = "Rows"
	ofModels  = "Model"
	ofOptions = "Options of the model"
	ofSums    = "Sums"
	ofMembers = "Members"
	ofFaults  = "Simulated network"
)

// sections lists them in that order.
var sections = []string{"", ofRows, ofModels, ofOptions, ofSums, ofMembers, ofFaults}

const (
	sectionKey = "section"
	titleKey   = "title" // title of the section, if not its name
	expertKey  = "expert"
	helpWidth  = 120
)

// helpAll is the name of the flag that shows all options.
const helpAll = "help-all"

// hideOthers makes the help of a command show the options of the chosen model, with their
// defaults. Those for experts are shown only with --help-all.
func hideOthers(cmd *cobra.Command, t *taskFlags) {
	showOptions(cmd, t.model, true)
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		all := false
		if f := cmd.Flags().Lookup(helpAll); f != nil {
			all = f.Changed
		}
		showOptions(cmd, t.model, all)
		help(cmd, args)
	})
}

// showOptions shows the flags of a model's options, and hides those of others.
func showOptions(cmd *cobra.Command, model string, experts bool) {
	k, err := pipeline.Named(model)
	if err != nil {
		k = pipeline.New(algorithms.Default())
	}
	table := slices.Concat(k.Options, k.Shared, k.Consensus)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[expertKey] != nil {
			f.Hidden = !experts
		}
		v, ok := f.Value.(*optionFlag)
		if !ok {
			return
		}
		o := table.Find(v.Name)
		if f.Hidden = o == nil || o.Expert && !experts; o != nil {
			f.Usage, f.DefValue = o.Help, o.Default
		}
		if strings.Join(f.Annotations[sectionKey], "") == ofOptions {
			f.Annotations[titleKey] = []string{ofOptions + " " + k.Kind.Name}
		}
	})
}

// forExperts hides flags from short help.
func forExperts(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.Lookup(name).Annotations[expertKey] = []string{}
	}
}

// section adds flags to a section of a command's help.
func section(cmd *cobra.Command, title string, define func(f *pflag.FlagSet)) {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	define(f)
	f.VisitAll(func(x *pflag.Flag) { x.Annotations = map[string][]string{sectionKey: {title}} })
	cmd.Flags().AddFlagSet(f)
}

// usage writes the help of a command after its description.
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
	for _, title := range sections {
		writeSection(&b, cmd, title)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

func writeSection(b *strings.Builder, cmd *cobra.Command, title string) {
	f, head := pflag.NewFlagSet(title, pflag.ContinueOnError), cmp.Or(title, "Flags")
	cmd.LocalFlags().VisitAll(func(x *pflag.Flag) {
		if strings.Join(x.Annotations[sectionKey], "") == title {
			shown := *x
			if x.Value.Type() == "bool" {
				shown.Value = struct{ pflag.Value }{x.Value} // hides IsBoolFlag, for which pflag would show [=true|false]
			}
			f.AddFlag(&shown)
			head = cmp.Or(strings.Join(x.Annotations[titleKey], ""), head)
		}
	})
	if !f.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n%s:\n%s", head, f.FlagUsagesWrapped(helpWidth))
}
