package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
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
		return &usageError{wrongFlag(cmd, err), "see " + cmd.CommandPath() + " --help"}
	})
	root.AddCommand(a.demo(), a.run(), a.up(), a.init(), a.check(), a.doctor(), a.status(), a.watch(), a.id(), a.consortium(), a.sim(), a.score(), a.evaluate(), a.adapt(), a.inspect(), a.export(), a.ledger(), a.audit(), a.evidence(), a.graph(), a.bench(), a.version())
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
	return &usageError{fmt.Errorf("unknown command %q%s", args[0], meant("", args[0], known)), "see " + cmd.CommandPath() + " --help"}
}

// wrongFlag describes an error of flags. It suggests a flag in place of one that does not exist.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
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
