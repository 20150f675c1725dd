package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// distant are rows that an engine in this process has read.
type distant struct {
	*beamEngine
	read *engine.Read
}

func (d distant) Dims() (n, m int)              { return d.read.Rows, len(d.read.Columns) }
func (d distant) Digest() []byte                { return d.read.Digest }
func (d distant) ReadRows([]float64, int) error { panic("a pass is a job") }
func (d distant) Run(steps []lanes.Step, count int, job string, args []byte) ([][]byte, error) {
	return d.beamEngine.Run(engine.Job{Steps: steps, Name: job, Args: args, Lanes: count})
}

// wide writes four files with rows of ten columns, and returns their folder.
func wide(b *testing.B, rows int) string {
	dir, random := b.TempDir(), rand.New(rand.NewPCG(1, 1))
	for f := range 4 {
		text := strings.Builder{}
		text.WriteString("a,b,c,d,e,f,g,h,i,j\n")
		for range rows / 4 {
			for j := range 10 {
				fmt.Fprintf(&text, "%.3f%c", 10*random.NormFloat64(), ",\n"[j/9])
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(f, ".csv")), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkPass measures a pass of five components over rows of ten columns, in this process and as a job of
// prism, and the reading of their objects.
func BenchmarkPass(b *testing.B) {
	beam.Init()
	random := rand.New(rand.NewPCG(1, 2))
	centres := make([]float64, 5*10)
	for i := range centres {
		centres[i] = 10 * random.NormFloat64()
	}
	for _, rows := range []int{1_000, 1_000_000} {
		dir := wide(b, rows)
		e, err := newEngine(b.Context(), "file://"+b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(e.close)
		run := func(name string, f func() error) {
			b.Run(fmt.Sprintf("rows=%d/%s", rows, name), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
		pass := func(x lanes.Rows) func() error {
			return func() error {
				_, err := passes.NewReader(x).SoftMoments(5, centres, 100, nil, true, nil)
				return err
			}
		}
		here, err := dataset.LoadOne(dataset.Spec{Data: []string{dir}})
		if err != nil {
			b.Fatal(err)
		}
		run("here", pass(here.Participants[0].Train))
		var read *engine.Read
		run("read", func() (err error) {
			read, err = e.Read(engine.Reading{Data: []string{"file://" + dir + "/"}})
			return err
		})
		run("beam", pass(distant{e, read}))
	}
}
