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
	if err := root.ExecuteContext(ctx); err != nil && !errors.Is(err, errHelped) {
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
		if errors.As(err, new(*usageError)) {
			return err
		}
		return &usageError{err, "see " + cmd.CommandPath() + " --help"}
	})
	root.SetHelpCommand(help())
	root.AddCommand(a.demo(), a.run(), a.up(), a.init(), a.check(), a.doctor(), a.status(), a.watch(), a.id(), a.consortium(), a.sim(), a.score(), a.thresholds(), a.compare(), a.evaluate(), a.adapt(), a.inspect(), a.export(), a.ledger(), a.audit(), a.evidence(), a.graph(), a.bench(), a.version())
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
	hint := "see " + cmd.CommandPath() + " --help"
	others := slices.Sorted(maps.Keys(otherNames))
	if name := strict.Nearest(args[0], append(known, others...)); !cmd.HasParent() && slices.Contains(others, name) {
		return &usageError{fmt.Errorf("unknown command %q", args[0]), otherNames[name] + "; or " + hint}
	}
	return &usageError{fmt.Errorf("unknown command %q%s", args[0], meant("", args[0], known)), hint}
}

// otherNames says what to type in place of the names that other programs have for a command.
var otherNames = map[string]string{
	"train": toTrain, "fit": toTrain, "learn": toTrain, "start": toTrain,
	"join":    "to take part in a run, use collabdict run",
	"predict": toScore, "detect": toScore, "apply": toScore, "infer": toScore, "serve": toScore,
	"plot": toLook, "show": toLook, "view": toLook, "describe": toLook,
	"test":     "to measure a model on labelled rows, use collabdict evaluate MODEL FILE --label COLUMN",
	"generate": "to train on synthetic rows, use collabdict sim --generate participants=5,rows=200,columns=6,patterns=3",
}

const (
	toTrain = "to train, use collabdict up --data 'FOLDER/*.csv' for files on this machine, or collabdict run between machines"
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

// wrongFlag describes an error of flags. It suggests a flag in place of one that does not exist.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if first := cmd.Root().Flags().Args(); cmd == cmd.Root() && len(first) > 0 {
		return onlyCommands(cmd, first) // flags of a command that there is not
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return fmt.Errorf("%w%s", err, meant("--", unknown.GetSpecifiedName(), known))
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
			return &usageError{fmt.Errorf("want %s, got %d", strings.TrimPrefix(cmd.Use, cmd.Name()+" "), len(args)), "see " + cmd.CommandPath() + " --help"}
		}
		return nil
	}
}

// orArgument accepts one argument in place of a flag.
func orArgument(flag string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		f := cmd.Flags().Lookup(flag)
		if len(args) == 0 || f.Changed {
			return noArgs(cmd, args)
		}
		if info, err := os.Stat(args[0]); flag == "dir" && (err != nil || !info.IsDir()) {
			return noArgs(cmd, args)
		}
		if err := noArgs(cmd, args[1:]); err != nil {
			return err
		}
		return cmd.Flags().Set(flag, args[0])
	}
}

// noArgs rejects positional arguments, and explains the usual mistake.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{
			fmt.Errorf("unexpected argument %q", args[0]),
			"put a pattern such as 'data/*.csv' in quotes, or see " + cmd.CommandPath() + " --help",
		}
	}
	return nil
}

// addJSON gives a command the flag --json.
func (a *app) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print one JSON object on standard output, everything else on standard error")
}

// addVerbose gives a command the flag --verbose.
func (a *app) addVerbose(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.verbose, "verbose", false, "show each round, and how sums were made and hidden")
}
