package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/node"
)

// app holds what all commands share.
type app struct {
	out, err io.Writer
	args     []string // arguments of the program, without its name
	json     bool     // standard output has one JSON object, standard error everything else
	verbose  bool     // progress of every step, and how sums are made

	after func(time.Duration) <-chan time.Time // nil for time.After
}

// errHelped ends a command that was only asked for help.
var errHelped = errors.New("help was shown")

// Main runs the program with further algorithms, and returns its exit code.
func Main(further ...algorithm.Kind) int {
	return run(func(int, failure) {}, further...)
}

// run runs the program. If it fails, run calls failed with the exit code before it returns it.
func run(failed func(code int, f failure), further ...algorithm.Kind) int {
	for _, k := range further {
		algorithms.Register(k)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	node.QuietLibraries()
	a := &app{out: os.Stdout, err: os.Stderr, args: os.Args[1:]}
	root := a.root()
	root.SetArgs(a.args)
	err := checkHyphens(root, a.args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil && !errors.Is(err, errHelped) {
		code, f := a.fail(ctx, err)
		failed(code, f)
		return code
	}
	return 0
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "collabdict",
		Version: release,
		Short:   "Learn one anomaly-detection model together, without a coordinator and without sharing data",
		Long: `collabdict lets organisations that may not share data learn one anomaly-detection
model together, without a coordinator. Each runs a node next to its own rows. Nodes
exchange only sums that hide each member's contribution, unless a model says otherwise.

Try it:   collabdict demo
Exit codes: 0 success; 1 internal error; 2 wrong use; 3 unusable data;
4 unusable model file; 5 members disagree; 6 members lost; 7 disk full;
8 unusable state; 130 interrupted.`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags().Lookup(helpAll); f != nil && f.Changed {
				return errors.Join(cmd.Help(), errHelped)
			}
			return a.checkKernels(cmd)
		},
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = wrongFlag(cmd, err)
		if is[*usageError](err) {
			return err
		}
		return &usageError{err, seeHelp(cmd)}
	})
	root.InitDefaultHelpFlag() // before the arguments are read: otherwise -h would take the command as its value
	root.InitDefaultVersionFlag()
	root.SetHelpCommand(help())
	root.AddCommand(a.demo(), a.run(), a.up(), a.init(), a.check(), a.doctor(), a.status(), a.watch(), a.view(), a.id(), a.consortium(), a.sim(), a.score(), a.serve(), a.thresholds(), a.compare(), a.evaluate(), a.adapt(), a.inspect(), a.export(), a.ledger(), a.audit(), a.evidence(), a.graph(), a.bench(), a.version())
	return root
}

// onlyCommands rejects arguments that are not commands of a command.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	hint := seeHelp(cmd)
	others := slices.Sorted(maps.Keys(otherNames))
	if name := strict.Nearest(args[0], append(known, others...)); !cmd.HasParent() && slices.Contains(others, name) {
		return &usageError{fmt.Errorf("unknown command %q", args[0]), otherNames[name] + "; or " + hint}
	}
	if cmd.HasParent() {
		return &usageError{fmt.Errorf("unknown command %q%s", args[0], strict.Instead(args[0], "the commands of "+cmd.Name()+" are", known)), hint}
	}
	return &usageError{fmt.Errorf("unknown command %q%s", args[0], meant("", args[0], known)), hint}
}

// otherNames says what to type in place of the names that other programs have for a command.
var otherNames = map[string]string{
	"train": toTrain, "fit": toTrain, "learn": toTrain, "start": toTrain,
	"join":    "to take part in a run, use collabdict run",
	"predict": toScore, "detect": toScore, "apply": toScore, "infer": toScore,
	"plot": toLook, "show": toLook, "describe": toLook,
	"test":     "to measure a model on labelled rows, use collabdict evaluate MODEL FILE --label COLUMN",
	"generate": "to train on synthetic rows, use collabdict sim --generate participants=5,rows=200,columns=6,patterns=3",
}

const (
	toTrain = "to train, use collabdict up FILE... for files on this machine, or collabdict run between machines"
	toScore = "to score rows, use collabdict score MODEL FILE"
	toLook  = "to look at a model, use collabdict inspect MODEL, with --plots DIR for pictures"
)

// help returns the command help, which shows the help of another command.
func help() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return onlyCommands(cmp.Or(of, cmd.Root()), rest)
			}
			return of.Help()
		},
	}
}

// wrongFlag describes an error of flags. It says what to type in place of a flag that does not
// exist.
func wrongFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if first := cmd.Root().Flags().Args(); cmd == cmd.Root() && len(first) > 0 {
		return onlyCommands(cmd, first) // flags of a command that there is not
	}
	return fmt.Errorf("%w%s", err, insteadOf(cmd, unknown.GetSpecifiedName()))
}

// insteadOf says what to type in place of a flag that a command does not have.
func insteadOf(cmd *cobra.Command, name string) string {
	for _, other := range synonyms[strings.ToLower(name)] {
		if cmd.Flags().Lookup(other) != nil {
			return "; did you mean --" + other + "?"
		}
	}
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.Name() == name {
				return "; " + name + " is a command, and is written without hyphens"
			}
		}
	}
	if with := commandsWith(cmd.Root(), name); len(with) > 0 {
		if !cmd.HasParent() {
			return "; it is a flag of other commands, and is written after the command"
		}
		return ", which is a flag of " + listed(with)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return meant("--", name, known)
}

// synonyms are the flags for which other programs, or other commands, have another name.
var synonyms = map[string][]string{
	"input": {"data"}, "file": {"data"}, "files": {"data"}, "dataset": {"data"}, "csv": {"data"},
	"output": {"out"}, "out": {"output"}, "o": {"out"},
	"epochs": {"rounds"}, "iterations": {"rounds"},
	"k": {"components"}, "clusters": {"components"},
}

// commandsWith returns the names of the commands that have a flag, in the order of the help.
func commandsWith(cmd *cobra.Command, flag string) []string {
	var with []string
	if cmd.HasParent() && cmd.Flags().Lookup(flag) != nil {
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		with = append(with, name)
	}
	for _, c := range cmd.Commands() {
		with = append(with, commandsWith(c, flag)...)
	}
	return with
}

// checkHyphens returns an error if a flag begins with one hyphen, or with the dash that a text
// editor puts in place of two. The parser would take it for other flags, or for the name of a file.
func checkHyphens(root *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		rest := strings.TrimLeft(arg, "-‐‑‒–—―−")
		if rest == arg || strings.HasPrefix(arg, "--") || len(rest) < 2 {
			continue
		}
		name, _, _ := strings.Cut(rest, "=")
		if root.Flags().Lookup(name) != nil || len(commandsWith(root, name)) > 0 {
			return &flagError{name, fmt.Sprintf("want two hyphens before a flag, got %q", arg), "write --" + rest}
		}
	}
	return nil
}

// seeHelp names the help of a command, and what the demo has in place of others' flags.
func seeHelp(cmd *cobra.Command) string {
	see := "see " + cmd.CommandPath() + " --help"
	if cmd.Name() == "demo" {
		return "demo generates its own rows; to train on yours, use collabdict up FILE...; or " + see
	}
	return see
}

// meant suggests the known name that is nearest to a wrong one, if any is near.
func meant(prefix, wrong string, known []string) string {
	if near := strict.Nearest(wrong, known); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}

// arguments accepts a number of arguments, which the command's Use names.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			got := "nothing"
			if len(args) > 0 {
				got = count(len(args), "argument")
			}
			return &usageError{fmt.Errorf("want %s, got %s", strings.TrimPrefix(cmd.Use, cmd.Name()+" "), got), seeHelp(cmd)}
		}
		return nil
	}
}

// orArgument accepts one argument in place of a flag. That of --dir must be a folder.
func orArgument(flag string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		f := cmd.Flags().Lookup(flag)
		if len(args) == 0 || f.Changed {
			return noArgs(cmd, args)
		}
		if err := noArgs(cmd, args[1:]); err != nil {
			return err
		}
		if flag == "dir" {
			if err := checkMember(cmd, args[0]); err != nil {
				return err
			}
		}
		return cmd.Flags().Set(flag, args[0])
	}
}

// checkMember returns an error if a participant's folder does not exist.
func checkMember(cmd *cobra.Command, dir string) error {
	hint := "correct the name, or make the folder of a new participant with collabdict init"
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &flagError{"dir", fmt.Sprintf("%q: no such folder", dir), hint}
	case info.IsDir():
		return nil
	case cmd.Flags().Lookup("data") != nil:
		hint = "name rows with --data"
	}
	return &flagError{"dir", fmt.Sprintf("want the folder of a participant, got the file %q", dir), hint}
}

// noArgs rejects positional arguments. It names the flag that the first was perhaps meant for.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := seeHelp(cmd)
	switch flags := cmd.Flags(); {
	case flags.Lookup("data") != nil:
		hint = "name rows with --data, or " + hint
	case flags.Lookup("dir") != nil && !flags.Changed("dir"):
		hint = "name the folder of a participant with --dir, or " + hint
	}
	return &usageError{fmt.Errorf("unexpected argument %q", args[0]), hint}
}

// addJSON gives a command the flag --json.
func (a *app) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print one JSON object on standard output, everything else on standard error")
}

// addVerbose gives a command the flag --verbose.
func (a *app) addVerbose(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.verbose, "verbose", false, "show each round, and how sums were made and hidden")
}
