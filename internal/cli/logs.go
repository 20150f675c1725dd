package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/report"
)

// logFlags choose how a process logs.
type logFlags struct{ format, level string }

// The formats of a log, and its levels.
const (
	textFormat = "text"
	jsonFormat = "json"
)

var logLevels = []string{"debug", "info", "warn", "error"}

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "log-format", textFormat, "`FORMAT` of the lines on standard error: text, or json for one object per line")
	cmd.Flags().StringVar(&f.level, "log-level", "warn", "log from `LEVEL` on: debug, info, warn or error; progress is always shown")
}

func (f *logFlags) check() error {
	if f.format != textFormat && f.format != jsonFormat {
		return &flagError{"log-format", fmt.Sprintf("want %s or %s, got %q", textFormat, jsonFormat, f.format), ""}
	}
	if !slices.Contains(logLevels, f.level) {
		return &flagError{"log-level", fmt.Sprintf("want %s, got %q", strings.Join(logLevels, ", "), f.level), ""}
	}
	return nil
}

// args returns the flags for another process that logs in the same way.
func (f *logFlags) args() []string {
	return []string{"--log-format", f.format, "--log-level", f.level}
}

// logs is the standard error of a node's process. Every line begins with the time, except on a
// terminal in format text; in format json, every line is an object.
type logs struct {
	to       io.Writer
	terminal *os.File // terminal that lines are written to unchanged; nil if none
	now      func() time.Time
	lines    hclog.Logger // writes lines as objects; nil in format text
	node     hclog.InterceptLogger

	order sync.Mutex // of lines
	begun []byte     // beginning of an unfinished line
	level hclog.Level

	mu     sync.Mutex
	warned []operate.Warning
	warns  int // all warnings
	ofNode int // those of the node
}

// stamp is the format of times in logs: RFC 3339, in UTC.
const stamp = "2006-01-02T15:04:05.000Z"

func newLogs(to io.Writer, f *logFlags, now func() time.Time) *logs {
	l := &logs{to: to, now: now}
	options := hclog.LoggerOptions{
		Output: outlet{l}, Level: hclog.Trace, JSONFormat: f.format == jsonFormat,
		TimeFormat: stamp, TimeFn: func() time.Time { return now().UTC() },
	}
	if options.JSONFormat {
		l.lines = hclog.New(&options)
	} else if file, ok := to.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		l.terminal = file
	}
	options.Name, options.Level = "node", hclog.LevelFromString(f.level)
	l.node = hclog.NewInterceptLogger(&options)
	l.node.RegisterSink(warnings{l})
	return l
}

// slog returns a logger for the node.
func (l *logs) slog() *slog.Logger { return newSlog(l.node) }

// Write writes lines, and remembers the warnings among them.
func (l *logs) Write(p []byte) (int, error) {
	l.order.Lock()
	defer l.order.Unlock()
	if l.terminal != nil {
		if text, is := strings.CutPrefix(string(p), warningPrefix); is {
			l.warn(outcome.Described(strings.TrimSpace(text)))
		}
		return outlet{l}.Write(p)
	}
	l.begun = append(l.begun, p...)
	for {
		line, rest, whole := bytes.Cut(l.begun, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if err := l.line(string(line)); err != nil {
			return 0, err
		}
		l.begun = rest
	}
}

const (
	warningPrefix = "warning: "
	errorPrefix   = "error: "
)

// line writes a line. An indented line belongs to the one before, and has its level.
func (l *logs) line(text string) (err error) {
	bare := strings.TrimSpace(text)
	if bare == "" {
		return nil
	}
	if bare == text {
		l.level = hclog.Info
	}
	if rest, is := strings.CutPrefix(bare, warningPrefix); is {
		bare, l.level = rest, hclog.Warn
	} else if rest, is := strings.CutPrefix(bare, errorPrefix); is {
		bare, l.level = rest, hclog.Error
	}
	if l.level == hclog.Warn {
		l.warn(outcome.Described(bare))
	}
	if l.lines != nil {
		l.lines.Log(l.level, bare)
		return nil
	}
	_, err = fmt.Fprintf(outlet{l}, "%s %s\n", l.now().UTC().Format(stamp), text)
	return err
}

// mostWarned is the number of warnings kept.
const mostWarned = 8

func (l *logs) warn(w report.Warning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warns++
	l.warned = append(l.warned, operate.Warning{At: l.now().UTC(), Warning: w})
	l.warned = slices.Clone(l.warned[max(0, len(l.warned)-mostWarned):])
}

// lastWarnings returns the last warnings, the number of all, and that of the node's.
func (l *logs) lastWarnings() (last []operate.Warning, all, ofNode int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warned, l.warns, l.ofNode
}

// outlet is where loggers write.
type outlet struct{ *logs }

func (o outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(p)
}

// warnings records the warnings of the node.
type warnings struct{ *logs }

func (w warnings) Accept(_ string, level hclog.Level, msg string, args ...any) {
	if level < hclog.Warn {
		return
	}
	w.warn(operate.NodeWarning(msg, args))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ofNode++
}

// interruptible returns when f does, or when the context ends. In the second case, the caller
// ends the process and with it f, so f must have nothing to clean up.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
