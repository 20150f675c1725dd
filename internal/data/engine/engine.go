package engine

import (
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
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Load reads the rows of one participant by an engine, which it starts: command is the program and its
// arguments. The engine ends with the context.
func Load(ctx context.Context, command []string, spec dataset.Spec) (*dataset.Dataset, error) {
	r, err := reading(spec)
	if err != nil {
		return nil, err
	}
	e, err := start(ctx, command)
	if err != nil {
		return nil, err
	}
	a, err := e.ask(request{Reading: &r})
	if err != nil {
		return nil, err
	}
	if a.Read == nil || a.Read.Rows < 1 || len(a.Read.Columns) == 0 || spec.Columns != nil && !slices.Equal(a.Read.Columns, spec.Columns) {
		return nil, fmt.Errorf("%s: want rows of the columns %s, got %+v", command[0], strings.Join(spec.Columns, ", "), a.Read)
	}
	if a.Read.Rows < spec.MinRows {
		return nil, &dataset.Error{File: spec.Data[0], Msg: fmt.Sprintf("want at least %d training rows, got %d", spec.MinRows, a.Read.Rows)}
	}
	s := &source{engine: e, n: a.Read.Rows, dim: len(a.Read.Columns), digest: a.Read.Digest}
	d := &dataset.Dataset{Columns: a.Read.Columns}
	p := dataset.Participant{Name: spec.Name, Columns: a.Read.Columns, Train: s}
	if spec.Window > 0 {
		p.Train = rows.Windowed(s, spec.Window, a.Read.Begins, false)
	}
	d.Participants = []dataset.Participant{p}
	return d, nil
}

// reading returns the request for the rows of a spec, or an error for what an engine cannot do.
func reading(s dataset.Spec) (Reading, error) {
	for _, c := range []struct {
		asked bool
		what  string
	}{
		{s.TestWhere.Given(), "test_where"}, {s.Time != "", "time_column"}, {s.Limit > 0, "limit"}, {s.ClassLabels, "labels that are classes"},
	} {
		if c.asked {
			return Reading{}, fmt.Errorf("an engine cannot read rows with %s: leave it out, or give the rows as files of this machine", c.what)
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
	wait func() error

	mu     sync.Mutex
	failed error // no request is answered after it
}

func start(ctx context.Context, command []string) (*engine, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stderr = os.Stderr
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
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &engine{name: command[0], in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out), wait: sync.OnceValue(c.Wait)}, nil
}

// ask sends a request and waits for its answer.
func (e *engine) ask(r request) (*answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed != nil {
		return nil, e.failed
	}
	var a answer
	if err := errors.Join(e.to.Encode(r), e.from.Decode(&a)); err != nil {
		_ = e.in.Close()
		if ended := e.wait(); ended != nil {
			err = ended
		}
		e.failed = fmt.Errorf("engine %s ended: %w; what it printed says why", e.name, err)
		return nil, e.failed
	}
	if a.Problem != "" {
		return nil, fmt.Errorf("engine %s: %s", e.name, a.Problem)
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
