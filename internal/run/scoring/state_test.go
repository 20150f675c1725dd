package scoring

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// seriesOf returns a series with a rolling threshold, which adds its events to told.
func seriesOf(m *model.Model, told *[]string) *Series {
	by := New(m, local.Rolling(120, 0.01, 9), false)
	s := &Series{Scorer: by, Finder: NewFinder(by, NewExplainer(m), &Rules{Anomalies: 2, Of: 4}, 0.01, NewPlaces(nil, ""))}
	s.Finder.Stream, s.Finder.Continued = true, true
	s.Finder.Watch = func(e Event, ended bool) {
		text, _ := json.Marshal(e)
		*told = append(*told, fmt.Sprint(ended, " ", string(text)))
	}
	return s
}

// score scores rows of CSV as the next ones of a series.
func (s *Series) score(text string) error {
	spec := dataset.Spec{Data: []string{"-"}, Columns: s.Scorer.Model.DataColumns(), MinRows: 1, Missing: dataset.KeepMissing, Scored: true, Series: &s.Series}
	if err := spec.Forward(context.Background(), strings.NewReader(strings.Join(spec.Columns, ",")+"\n"+text), func() <-chan time.Time { return nil }); err != nil {
		return err
	}
	_, err := s.Scorer.Each(spec, func(carried []string) error {
		s.Finder.Places = NewPlaces(carried, "")
		return nil
	}, s.Finder.Add)
	return err
}

// Rows in pieces, each scored by another process, have the events of one piece.
func TestASeriesGoesOn(t *testing.T) {
	m := sensorsOfOneLoad(t, 2, 0.3)
	random := rand.New(rand.NewPCG(1, 2))
	var rows []string
	for i := range 300 {
		fault := 0.0
		if i/10%3 == 2 {
			fault = 4
		}
		load := random.NormFloat64()
		rows = append(rows, fmt.Sprintf("%.3f,%.3f\n", load+fault, load+0.3*random.NormFloat64()))
	}
	var want []string
	if err := seriesOf(m, &want).score(strings.Join(rows, "")); err != nil {
		t.Fatal(err)
	}
	ended := func(told []string) []string { // what an event has when it begins depends on the pieces
		return slices.DeleteFunc(slices.Clone(told), func(s string) bool { return strings.HasPrefix(s, "false") })
	}
	if len(ended(want)) < 3 {
		t.Fatalf("got %q", want)
	}
	for range 10 {
		var got []string
		kept := []byte(nil)
		for from := 0; from < len(rows); {
			to := min(len(rows), from+1+random.IntN(9))
			s := seriesOf(m, &got)
			if kept != nil {
				of, err := ParseState(kept)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Resume(of); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.score(strings.Join(rows[from:to], "")); err != nil {
				t.Fatal(err)
			}
			var err error
			if kept, err = json.Marshal(s.State("x")); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		if !slices.Equal(ended(got), ended(want)) || len(got) != len(want) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A state of any text is refused, or can be gone on from.
func FuzzState(f *testing.F) {
	m := sensorsOfOneLoad(f, 2, 0.3)
	var told []string
	s := seriesOf(m, &told)
	for _, rows := range []string{"1,1\n", "9,0\n9,0\n9,0\n"} {
		if err := s.score(rows); err != nil {
			f.Fatal(err)
		}
		text, err := json.Marshal(s.State("x"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		of, err := ParseState([]byte(text))
		if err != nil {
			return
		}
		var told []string
		s := seriesOf(m, &told)
		if s.Resume(of) != nil {
			return
		}
		if err := s.score("9,0\n0,0\n0,0\n0,0\n0,0\n0,0\n9,0\n9,\n"); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(s.State("x")); err != nil {
			t.Error(err)
		}
	})
}
