package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	_ "github.com/collabdict/collabdict/internal/algorithms" // their jobs
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	_ "github.com/collabdict/collabdict/internal/run/pipeline" // its jobs
)

func init() {
	register.DoFn2x2[context.Context, int, int, error](&work{})
	register.Function1x0(end)
}

// attempts is how often a pass is begun before the run ends by the error of the runner.
const attempts = 3

// An order is what workers do: they read splits, score them, or run a job. It is an object in the folder of the order,
// with an object for each result.
type order struct {
	Reading engine.Reading
	Splits  []split
	Scores  *scoreOrder // nil to read the splits

	Index index
	Job   engine.Job
}

// work does one piece of an order: it reads or scores a split, or runs the job for a lane.
type work struct {
	Folder address
}

// ProcessElement writes the result of a piece, and returns its number. A piece that is done again has the
// same result.
func (w *work) ProcessElement(ctx context.Context, number int) (int, error) {
	o, rows, err := orderIn(ctx, w.Folder)
	if err != nil {
		return 0, err
	}
	var result []byte
	switch {
	case o.Scores != nil && o.Scores.Starts == nil:
		result, err = o.countSplit(ctx, number)
	case o.Scores != nil:
		result, err = o.scoreSplit(ctx, number)
	case o.Splits != nil:
		result, err = o.readSplit(ctx, number)
	default:
		result, err = o.run(rows, number)
	}
	if f, ok := errors.AsType[fault](err); ok { // in place of an error, which the runner would log, and try again
		return number, write(ctx, w.Folder.in(faultName), []byte(f.Error()))
	}
	if err != nil {
		return 0, err
	}
	return number, write(ctx, w.Folder.in(resultName(number)), result)
}

// end takes the numbers of pieces that are done. Without it, they would be no output of their stage, and
// prism takes all of a processor while it waits for a stage without outputs.
func end(int) {}

func resultName(number int) string { return fmt.Sprintf("result-%06d", number) }

// faultName is the name of an object with a fault, which ends an order.
const faultName = "fault"

// A fault is an error in objects, which another attempt would find again.
type fault struct{ error }

// readSplit copies the values of a split to its part.
func (o *order) readSplit(ctx context.Context, number int) ([]byte, error) {
	s := o.Splits[number]
	p, err := s.values(ctx, o.Reading)
	if err != nil {
		return nil, err
	}
	var out part
	if p.Train != nil {
		if out, err = writePart(ctx, o.Index.Folder.in(partName(number)), p.Train); err != nil {
			return nil, err
		}
	}
	out.Begins = s.First == 0
	return encode(piece{p.Columns, out})
}

// A piece has the columns and the part of a split.
type piece struct {
	Columns []string
	Part    part
}

// run runs the job for a lane.
func (o *order) run(of *partRows, lane int) ([]byte, error) {
	made, err := lanes.Make(of, o.Job.Steps)
	if err != nil {
		return nil, err
	}
	out, err := lanes.Run(made, o.Job.Name, o.Job.Args, []int{lane})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// beamEngine reads rows and runs jobs by pipelines.
type beamEngine struct {
	ctx    context.Context
	folder address // of this engine alone
	orders int
	index  index
}

func newEngine(ctx context.Context, temp string) (*beamEngine, error) {
	folder, err := parseFolder(temp)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	return &beamEngine{ctx: ctx, folder: folder.in("collabdict-" + hex.EncodeToString(id[:]))}, nil
}

// close removes all that the engine has written.
func (e *beamEngine) close() { _ = remove(context.WithoutCancel(e.ctx), e.folder) }

// Read implements [engine.Runner].
func (e *beamEngine) Read(r engine.Reading) (*engine.Read, error) {
	all, err := splits(e.ctx, r.Data, *splitKB<<10)
	if err != nil {
		return nil, err
	}
	e.index = index{Folder: e.folder.in("rows"), Columns: r.Columns}
	o := order{Reading: r, Splits: all, Index: e.index}
	if r.Columns == nil || r.First { // the first split decides for all
		p, err := all[0].values(e.ctx, r)
		if err != nil {
			return nil, err
		}
		e.index.Columns, o.Reading.Columns = p.Columns, p.Columns
	}
	if r.First {
		return &engine.Read{Columns: e.index.Columns}, cmp.Or(poolAnswers(e.ctx), write(e.ctx, e.folder.in("check"), nil))
	}
	results, err := e.do(o, len(all))
	if err != nil {
		return nil, err
	}
	digest, out := sha256.New(), &engine.Read{Columns: e.index.Columns}
	for i, text := range results {
		var p piece
		if err := decode(text, &p); err != nil {
			return nil, err
		}
		if p.Part.Begins || i == 0 {
			out.Begins = append(out.Begins, out.Rows)
		}
		digest.Write(p.Part.Digest)
		out.Rows += p.Part.Rows
		e.index.Parts = append(e.index.Parts, p.Part)
	}
	out.Digest = digest.Sum(nil)
	if out.Rows == 0 {
		return nil, errors.New("the objects have no rows")
	}
	return out, nil
}

// Run implements [engine.Runner].
func (e *beamEngine) Run(j engine.Job) ([][]byte, error) {
	return e.do(order{Index: e.index, Job: j}, j.Lanes)
}

// do has the pieces of an order done by a pipeline, and returns their results.
func (e *beamEngine) do(o order, pieces int) (results [][]byte, err error) {
	text, err := encode(o)
	if err != nil {
		return nil, err
	}
	e.orders++
	folder := e.folder.in(fmt.Sprintf("order-%06d", e.orders))
	defer func() { _ = remove(context.WithoutCancel(e.ctx), folder) }() // what is left goes with the engine's folder
	if err := write(e.ctx, folder.in("order"), text); err != nil {
		return nil, err
	}
	results = make([][]byte, pieces)
	for attempt := 1; ; attempt++ {
		missing, err := e.collect(folder, results)
		if err != nil || missing == nil {
			return results, err
		}
		if attempt > attempts {
			return nil, fmt.Errorf("the runner %s ended %d times without %d of %d results", *runner, attempts, len(missing), pieces)
		}
		err = e.pipeline(folder, missing)
		if err != nil && !errors.Is(err, errFault) && (attempt == attempts || e.ctx.Err() != nil) {
			return nil, fmt.Errorf("the runner %s failed %d times: %s", *runner, attempt, reason(err))
		}
	}
}

// reason returns an error of a runner on one line. A chain of causes has lines in between, and ends with what
// a worker has said.
func reason(err error) string {
	text := strings.TrimSpace(err.Error())
	if strings.Contains(text, "caused by:\n") {
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	return strings.Join(strings.Fields(text), " ")
}

// errFault is why a pipeline ends once there is a fault.
var errFault = errors.New("an object is at fault")

// collect reads the results that are there, and returns the numbers of the others. A fault is an error.
func (e *beamEngine) collect(folder address, results [][]byte) (missing []int, err error) {
	there, err := names(e.ctx, folder)
	if err != nil {
		return nil, err
	}
	if there[faultName] {
		text, err := read(e.ctx, folder.in(faultName))
		return nil, cmp.Or(err, errors.New(string(text)))
	}
	for i := range results {
		if name := resultName(i); !there[name] {
			missing = append(missing, i)
		} else if results[i] == nil {
			if results[i], err = read(e.ctx, folder.in(name)); err != nil {
				return nil, err
			}
		}
	}
	return missing, nil
}

// pipeline has pieces done. It ends with an error once no result has come for the patience.
func (e *beamEngine) pipeline(folder address, numbers []int) error {
	if err := poolAnswers(e.ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(e.ctx)
	defer stop(nil)
	go func() {
		last, count := time.Now(), 0
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(*patience / 10):
			}
			there, err := names(ctx, folder)
			if err == nil && len(there) > count {
				last, count = time.Now(), len(there)
			}
			if there[faultName] {
				stop(errFault)
			}
			if time.Since(last) > *patience {
				stop(fmt.Errorf("no result has come for %s", *patience))
			}
		}
	}()
	p, s := beam.NewPipelineWithRoot()
	done := beam.ParDo(s, &work{Folder: folder}, beam.Reshuffle(s, beam.CreateList(s, numbers)))
	beam.ParDo0(s, end, beam.Reshuffle(s, done))
	ended := make(chan error, 1)
	go func() { // runners may not end with the context
		_, err := beam.Run(ctx, *runner, p)
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// poolAnswers waits for the pool of workers, without which prism panics. It may be starting.
func poolAnswers(ctx context.Context) error {
	value := func(name string) string { return flag.Lookup(name).Value.String() }
	if *runner != "prism" || value("environment_type") != "EXTERNAL" {
		return nil
	}
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", value("environment_config"))
		if err == nil {
			return c.Close()
		}
		if pause > 5*time.Second || ctx.Err() != nil {
			return fmt.Errorf("the pool of workers does not answer: %w: start it with --pool, or correct --environment_config", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(text []byte, v any) error { return gob.NewDecoder(bytes.NewReader(text)).Decode(v) }
