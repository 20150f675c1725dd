package latent_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/internal/numeric/latent"
)

func TestClasses(t *testing.T) {
	many, all := make([]float64, 60), make([]int, 60)
	for i := range many {
		many[i], all[i] = float64(i%13), i
	}
	many[59] = 12 // makes 12 as frequent as 0 to 6; the next is 7
	for _, c := range []struct {
		labels  []float64
		classes bool
		names   []string
		places  []int
		groups  []string
		of      []int
		rest    bool
	}{
		{[]float64{0, -1, 1, 0}, false, nil, []int{0, 1, 2, 3}, []string{"normal", "anomaly"}, []int{0, 0, 1, 0}, false},
		{[]float64{7, 3, 3, 9}, true, nil, []int{0, 1, 3}, []string{"3", "7", "9"}, []int{1, 0, 2}, false},
		{[]float64{3, 2, 3}, true, []string{"cat", "dog"}, []int{0, 1, 2}, []string{"cat", "dog"}, []int{1, 0, 1}, false},
		{[]float64{4}, true, nil, []int{0}, []string{"4"}, []int{0}, false},
		{many, true, nil, all[:13], []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "4 other classes"}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9}, true},
	} {
		g := latent.Classes(c.labels, c.classes, c.names, c.places)
		if !reflect.DeepEqual(g, latent.Groups{Names: c.groups, Of: c.of, Rest: c.rest}) {
			t.Errorf("labels %v: got %+v", c.labels, g)
		}
	}
	if g := latent.Classes(many, true, nil, all); g.Names[8] != "12" || g.Names[9] != "4 other classes" {
		t.Errorf("the most frequent are %q", g.Names)
	}
}

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		of     []int
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 11}, []int{0, 0, 1, 1, 2, 2, 3}},
		{[]float64{math.Inf(1), 10}, []int{1, 0}},
		{[]float64{5, 5, 5}, []int{2, 2, 2}},
		{[]float64{20}, []int{1}},
		{[]float64{math.NaN()}, []int{1}},
	} {
		g := latent.Grades(c.scores, 10)
		if !reflect.DeepEqual(g.Of, c.of) || !g.Graded || g.Names[len(g.Names)-2] != "up to the threshold, 10" {
			t.Errorf("scores %v: got %+v, want %v", c.scores, g, c.of)
		}
	}
	if g := latent.Grades([]float64{-3, -2, -1}, 0); g.Names[0] != "score below −2" {
		t.Errorf("names %q", g.Names)
	}
}

func TestExamples(t *testing.T) {
	for _, c := range []struct {
		groups latent.Groups
		want   []latent.Example
	}{
		{latent.Groups{Names: []string{"a", "b"}, Of: []int{1, 0, 1, 1}}, []latent.Example{{"a", []int{1}}, {"b", []int{0, 2}}}},
		{latent.Groups{Names: []string{"a", "b", "c"}, Of: []int{2, 2}}, []latent.Example{{"c", []int{0, 1}}}},
		{latent.Groups{Names: []string{"a", "2 other classes"}, Of: []int{0, 1}, Rest: true}, []latent.Example{{"a", []int{0}}}},
		{latent.Groups{Graded: true, Of: make([]int, 3)}, []latent.Example{{"own", []int{0, 1}}, {"own", []int{2}}}},
		{latent.Groups{Graded: true, Of: make([]int, 16)}, []latent.Example{{"own", []int{0, 2}}, {"own", []int{4, 6}}, {"own", []int{8, 10}}, {"own", []int{12, 14}}}},
	} {
		if got := c.groups.Examples(2); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.groups, got, c.want)
		}
	}
}
