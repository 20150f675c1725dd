// Command collabdict-beam is an engine for a node of collabdict whose rows outgrow its machine: it reads
// rows from objects in a bucket and makes the passes over them as jobs of Apache Beam, on Flink, Spark,
// Dataflow or, on one machine, prism. A node starts it, see engine in node.yaml.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	_ "golang.org/x/crypto/x509roots/fallback" // the container image has no certificates

	"github.com/collabdict/collabdict/internal/data/engine"
)

var (
	runner   = flag.String("runner", "prism", "`NAME` of the runner: prism, flink, spark, dataflow or universal")
	temp     = flag.String("temp", "", "`ADDRESS` of a folder for a copy of the values and for results of passes, which this engine and all workers reach")
	splitKB  = flag.Int64("split-kb", 64<<10, "size of the pieces in which a large object of lines is read, in `kB`")
	patience = flag.Duration("patience", 10*time.Minute, "`TIME` without a result after which the work that is left is begun again")
	pool     = flag.String("pool", "", "serve as a pool of worker processes at `ADDRESS`, for --environment_type EXTERNAL")
)

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // runners print
	flag.CommandLine.Init(os.Args[0], flag.ContinueOnError)
	flag.Usage = func() {} // after an error, which has one line
	parse(os.Args[1:])
	scores := flag.Arg(0) == scoreCommand
	if scores {
		parse(flag.Args()[1:])
	}
	if self, err := os.Executable(); err == nil && flag.Lookup("worker_binary").Value.String() == "" {
		_ = flag.Set("worker_binary", self) // otherwise Beam compiles the source, which is not here
	}
	beam.Init()             // a worker does not return from here
	log.SetLogger(silent{}) // errors come back through the runner
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, out, scores); err != nil {
		fmt.Fprintln(os.Stderr, "collabdict-beam:", err)
		os.Exit(1)
	}
}

// silent logs nothing.
type silent struct{}

// Log implements [log.Logger].
func (silent) Log(context.Context, log.Severity, int, string) {}

const scoreCommand = "score"

// parse parses flags. It ends the program if they ask for help, or are wrong.
func parse(args []string) {
	switch err := flag.CommandLine.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		usage()
		os.Exit(0)
	case err != nil:
		os.Exit(2)
	}
}

func usage() {
	fmt.Fprintf(flag.CommandLine.Output(), `collabdict-beam --temp ADDRESS [FLAG]...
	makes the passes of a node, which starts it
collabdict-beam score --temp ADDRESS [FLAG]... MODEL OUTPUT ADDRESS...
	writes the scores of the rows of objects as parts in the folder OUTPUT
collabdict-beam --pool ADDRESS
	starts processes of workers

`)
	flag.PrintDefaults()
}

func run(ctx context.Context, out *os.File, scores bool) error {
	switch {
	case *pool != "":
		return servePool(ctx, *pool)
	case !scores && flag.NArg() > 0:
		return fmt.Errorf("want flags, or score with its arguments, got %q", flag.Arg(0))
	case scores && flag.NArg() < 3:
		return fmt.Errorf("score: want flags, then a model, the address of a folder for the scores and addresses of rows, got %d arguments", flag.NArg())
	case *temp == "":
		return fmt.Errorf("--temp: want the address of a folder that all workers reach, such as s3://bucket/folder, got none")
	case *splitKB < 1:
		return fmt.Errorf("--split-kb: want a size above 0, got %d", *splitKB)
	}
	here, err := os.MkdirTemp("", "collabdict-beam-") // for workers in this process, which may not end
	if err != nil {
		return err
	}
	defer os.RemoveAll(here)
	if err := os.Setenv("TMPDIR", here); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	e, err := newEngine(ctx, *temp)
	if err != nil {
		return err
	}
	defer e.close()
	if !scores {
		return engine.Serve(e, os.Stdin, out, stop)
	}
	note := func(line string) { fmt.Fprintln(os.Stderr, line) }
	done, err := e.score(flag.Arg(0), flag.Arg(1), flag.Args()[2:], note)
	if err != nil {
		return err
	}
	for _, line := range append(done.gaps.Aside, done.gaps.String()) {
		if line != "" {
			note(line)
		}
	}
	if odd := done.gaps.Oddities(); odd != "" {
		note("warning: " + odd)
	}
	fmt.Fprintf(out, "scored rows: %d; parts in %s: %d\n", done.rows, flag.Arg(1), done.parts)
	return nil
}
