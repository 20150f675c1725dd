package engine

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// An Error is what an engine has reported, or how it ended.
type Error struct {
	Engine string // its program
	Reason string
}

func (e *Error) Error() string { return "engine " + e.Engine + ": " + e.Reason }

// Load reads the rows of one participant by an engine, which it starts: command is the program and its
// arguments. The engine ends with the context.
func Load(ctx context.Context, command []string, spec dataset.Spec) (*dataset.Dataset, error) {
	e, a, err := read(ctx, command, spec, false)
	if err != nil {
		return nil, err
	}
	if a.Read.Rows < 1 {
		e.end()
		return nil, &Error{command[0], "want rows, got none"}
	}
	if a.Read.Rows < spec.MinRows {
		e.end()
		return nil, &dataset.Error{File: spec.Data[0], Msg: fmt.Sprintf("want at least %d training rows, got %d", spec.MinRows, a.Read.Rows)}
	}
	s := &source{engine: e, n: a.Read.Rows, dim: len(a.Read.Columns), digest: a.Read.Digest}
	p := dataset.Participant{Name: spec.Name, Columns: a.Read.Columns, Train: s, Begins: a.Read.Begins}
	parts := dataset.Window([]dataset.Participant{p}, spec.Window)
	return &dataset.Dataset{Columns: parts[0].Columns, Participants: parts}, nil
}

// Columns returns the columns of the first piece of the rows that an engine would read. So it checks that the
// engine starts, and finds and reads that piece. It does not check any other, nor where the engine makes passes.
func Columns(ctx context.Context, command []string, spec dataset.Spec) ([]string, error) {
	e, a, err := read(ctx, command, spec, true)
	if err != nil {
		return nil, err
	}
	e.end()
	return a.Read.Columns, nil
}

// read starts an engine, which reads rows, or their first piece.
func read(ctx context.Context, command []string, spec dataset.Spec, first bool) (*engine, *answer, error) {
	r, err := reading(spec)
	if err != nil {
		return nil, nil, err
	}
	r.First = first
	e, err := start(ctx, command)
	if err != nil {
		return nil, nil, err
	}
	a, err := e.ask(request{Reading: &r})
	if err == nil && (a.Read == nil || len(a.Read.Columns) == 0 || spec.Columns != nil && !slices.Equal(a.Read.Columns, spec.Columns)) {
		err = &Error{command[0], fmt.Sprintf("want rows of the columns %s, got %+v", strings.Join(spec.Columns, ", "), a.Read)}
	}
	if err != nil {
		e.end()
		return nil, nil, err
	}
	return e, a, nil
}

// reading returns the request for the rows of a spec, or an error for what an engine cannot do.
func reading(s dataset.Spec) (Reading, error) {
	for _, c := range []struct {
		asked bool
		what  string
	}{
		{s.TestWhere.Given(), "test_where"},
		{s.Time != "", "time_column"},
		{s.Limit > 0, "limit"},
		{s.ClassLabels, "labels that are classes"},
		// A window would go on after a row that is left out.
		{s.Window != 0 && (s.Where.Given() || s.Label != "" || s.Missing == dataset.SkipMissing), "windows and also where, label or missing: skip"},
	} {
		if c.asked {
			return Reading{}, &dataset.Error{File: s.Data[0], Msg: "an engine cannot read rows with " + c.what, Hint: "leave it out, or give the rows as files of this machine"}
		}
	}
	return Reading{
		Version: Version, Data: s.Data, Label: s.Label, Anomaly: s.Anomaly, Where: s.Where.String(), Rename: s.Rename, Units: s.Units, Ignore: s.Ignore,
		Columns: s.Columns, Missing: s.Missing, CSV: s.CSV,
	}, nil
}

// Spec returns the spec by which the rows of one file are read.
func (r Reading) Spec(file string) (dataset.Spec, error) {
	where, err := dataset.ParseCondition(r.Where)
	return dataset.Spec{
		Data: []string{file}, Name: "rows", Label: r.Label, Anomaly: r.Anomaly, Anomalies: r.Label != "", Normal: r.Label != "", Where: where, Rename: r.Rename, Units: r.Units,
		Ignore: r.Ignore, Columns: r.Columns, Missing: r.Missing, CSV: r.CSV,
	}, err
}

// engine is a running engine. It answers one request at a time.
type engine struct {
	name string
	in   io.WriteCloser
	to   *gob.Encoder
	from *gob.Decoder
	said *firstLine
	wait func() error

	mu     sync.Mutex
	failed error // no request is answered after it
}

func start(ctx context.Context, command []string) (*engine, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	said := &firstLine{to: os.Stderr}
	c.Stderr = said
	c.WaitDelay = 10 * time.Second
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Cancel = in.Close // it ends when there are no more requests, and removes what it has written
	if err := c.Start(); err != nil {
		return nil, &Error{command[0], err.Error()}
	}
	return &engine{name: command[0], in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out), said: said, wait: sync.OnceValue(c.Wait)}, nil
}

// end tells the engine that there are no more requests.
func (e *engine) end() {
	_ = e.in.Close()
	go func() { _ = e.wait() }()
}

// firstLine passes on what an engine prints, and keeps the first line since begin.
type firstLine struct {
	to   io.Writer
	mu   sync.Mutex
	line []byte // with the end, if it has come
}

const longestLine = 1000

func (f *firstLine) Write(text []byte) (int, error) {
	f.mu.Lock()
	if !bytes.HasSuffix(f.line, []byte("\n")) && len(f.line) < longestLine {
		line, _, _ := bytes.Cut(text, []byte("\n"))
		f.line = append(f.line, text[:min(len(line)+1, len(text), longestLine-len(f.line))]...)
	}
	f.mu.Unlock()
	return f.to.Write(text)
}

// begin forgets what was printed so far.
func (f *firstLine) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.line = nil
}

func (f *firstLine) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.TrimSpace(string(f.line))
}

// ask sends a request and waits for its answer.
func (e *engine) ask(r request) (*answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed != nil {
		return nil, e.failed
	}
	e.said.begin()
	var a answer
	if err := errors.Join(e.to.Encode(r), e.from.Decode(&a)); err != nil {
		_ = e.in.Close()
		reason := "it is no engine, or one of another release: " + err.Error()
		if ended := e.wait(); ended != nil {
			reason = "it has ended: " + ended.Error()
		}
		if first := e.said.String(); first != "" {
			reason += ": " + first
		}
		e.failed = &Error{e.name, reason}
		return nil, e.failed
	}
	if a.Problem != "" {
		return nil, &Error{e.name, a.Problem}
	}
	return &a, nil
}

// source are the rows of an engine.
type source struct {
	engine *engine
	n, dim int
	digest []byte
}

func (s *source) Dims() (n, m int) { return s.n, s.dim }

func (s *source) ReadRows(x []float64, from int) error {
	return (&lanes.Origin{Source: s}).Read(x, from, s.n, s.dim)
}

// Digest implements [lanes.Source].
func (s *source) Digest() []byte { return s.digest }

// Run implements [lanes.Source].
func (s *source) Run(steps []lanes.Step, count int, job string, args []byte) ([][]byte, error) {
	a, err := s.engine.ask(request{Job: &Job{Steps: steps, Name: job, Args: args, Lanes: count}})
	if err != nil {
		return nil, err
	}
	return a.Results, nil
}
