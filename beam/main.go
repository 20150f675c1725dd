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
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		flag.PrintDefaults()
		return
	case err != nil:
		os.Exit(2)
	}
	if self, err := os.Executable(); err == nil && flag.Lookup("worker_binary").Value.String() == "" {
		_ = flag.Set("worker_binary", self) // otherwise Beam compiles the source, which is not here
	}
	beam.Init()             // a worker does not return from here
	log.SetLogger(silent{}) // errors come back through the runner
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, out); err != nil {
		fmt.Fprintln(os.Stderr, "collabdict-beam:", err)
		os.Exit(1)
	}
}

// silent logs nothing.
type silent struct{}

// Log implements [log.Logger].
func (silent) Log(context.Context, log.Severity, int, string) {}

func run(ctx context.Context, out *os.File) error {
	switch {
	case *pool != "":
		return servePool(ctx, *pool)
	case *temp == "":
		return fmt.Errorf("--temp: want the address of a folder that all workers reach, such as s3://bucket/folder, got none")
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
	return engine.Serve(e, os.Stdin, out, stop)
}
