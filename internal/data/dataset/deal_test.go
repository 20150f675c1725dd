package dataset_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
)

// classes writes a file of numbered rows with classes, every fifth row for testing. It returns the
// data set that a split makes of it.
func classes(t *testing.T, split string, seed uint64, rows ...int) (*dataset.Dataset, error) {
	t.Helper()
	var b strings.Builder
	b.WriteString("n,class,part\n")
	n := 0
	for c, count := range rows {
		for range count {
			fmt.Fprintf(&b, "%d,<%d,%s\n", n, c, map[bool]string{true: "test", false: "train"}[n%5 == 4])
			n++
		}
	}
	folder(t, "all.csv", b.String())
	s, err := partition.Parse(split)
	if err != nil {
		t.Fatal(err)
	}
	return dataset.LoadAll(dataset.Spec{
		Data: []string{"all.csv"}, Split: s, Label: "class", Seed: seed, Ignore: []string{"part"},
		TestWhere: dataset.Condition{Column: "part", Value: "test"},
	})
}

// held counts the training rows of each class at each participant. It checks that exactly one
// participant has each row of the file.
func held(t *testing.T, d *dataset.Dataset, rows int) [][]float64 {
	t.Helper()
	seen := make([]int, rows)
	var out [][]float64
	for _, p := range d.Participants {
		count := make([]float64, len(d.Classes))
		for _, l := range p.TrainLabels {
			count[int(l)-2]++
		}
		out = append(out, count)
		for i, part := range []collabdict.Rows{p.Train, p.Test} {
			if part == nil {
				continue
			}
			for _, row := range values(part) {
				seen[int(row[0])]++
				if test := int(row[0])%5 == 4; test != (i == 1) {
					t.Errorf("%s: row %g is in the wrong part", p.Name, row[0])
				}
			}
		}
	}
	for n, times := range seen {
		if times != 1 && len(d.LeftOut) == 0 {
			t.Errorf("row %d is there %d times", n, times)
		}
	}
	return out
}

func TestDealtSplitsKeepEveryRow(t *testing.T) {
	for _, split := range []string{
		"dirichlet:alpha=5,clients=4,label=class", "quantity:alpha=2,clients=4,label=class",
		"classes:least=1,most=3,clients=4,label=class", "classes:least=3,most=9,clients=2,label=class",
		"pca-kmeans:clients=4,shuffle=0.3,label=class",
	} {
		d, err := classes(t, split, 1, 100, 57, 93)
		if err != nil {
			t.Fatalf("%s: %v", split, err)
		}
		first := held(t, d, 250)
		again, err := classes(t, split, 1, 100, 57, 93)
		if err != nil || !reflect.DeepEqual(d, again) {
			t.Errorf("%s: the same seed gives other rows, %v", split, err)
		}
		if other, err := classes(t, split, 2, 100, 57, 93); err != nil || reflect.DeepEqual(d, other) {
			t.Errorf("%s: another seed gives the same rows, %v", split, err)
		}
		for client, counts := range first {
			number := 0
			for _, n := range counts {
				if n > 0 {
					number++
				}
			}
			if split[0] == 'q' && number != 2 {
				t.Errorf("%s: participant %d has %d classes", split, client, number)
			}
		}
	}
}

// With a small alpha, one participant has most of a class; with a large alpha, all have equal
// shares.
func TestDirichletAlpha(t *testing.T) {
	largest := func(alpha string) (mean float64) {
		d, err := classes(t, "dirichlet:clients=5,label=class,alpha="+alpha+",min=1", 3, 500, 500, 500, 500)
		if err != nil {
			t.Fatal(err)
		}
		counts := held(t, d, 2000)
		for c := range 4 {
			most := 0.0
			for _, own := range counts {
				most = math.Max(most, own[c]/400)
			}
			mean += most / 4
		}
		return mean
	}
	if one, all := largest("0.05"), largest("1000"); one < 0.7 || all > 0.25 {
		t.Errorf("the largest share is %.2f with alpha 0.05 and %.2f with 1000", one, all)
	}
}

func TestSplitsThatClassesDoNotAllow(t *testing.T) {
	for split, want := range map[string]string{
		"quantity:alpha=4,clients=5,label=class":       "want participants of 4 classes, there are 3; give a smaller number, or another label",
		"quantity:alpha=1,clients=2,label=class":       "2 participants of 1 classes cannot have all 3 classes; give more clients, or more classes to each",
		"classes:least=1,most=3,clients=2,label=class": "cannot have all 3 classes",
		"dirichlet:alpha=1,clients=5,label=clas":       `column "clas": there is no such column`,
	} {
		if _, err := classes(t, split, 1, 30, 30, 30); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", split, err, want)
		}
	}
}

// Every class has an owner, whatever numbers of classes the participants draw.
func TestClassesLeaveNoneOut(t *testing.T) {
	for seed := range uint64(30) {
		d, err := classes(t, "classes:least=2,most=4,clients=4,label=class", seed, 20, 20, 20, 20, 20, 20, 20, 20)
		if err != nil {
			t.Fatal(err)
		}
		held(t, d, 160)
	}
}
