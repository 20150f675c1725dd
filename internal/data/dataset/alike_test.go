package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
)

const blobs = 3 // of each class

// blobsOf returns rows of two classes, each in three distant places of a plane in four dimensions.
// Every fifth row of a place is for testing. The file also has columns of class and place.
func blobsOf(perBlob int) string {
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("a,b,c,d,class,place,part\n")
	for i := range perBlob * 2 * blobs {
		class, place := i%2, i/2%blobs
		u, v := 100*math.Cos(2.1*float64(place)+float64(class)), 80*math.Sin(2.1*float64(place)+float64(class))
		noise := func() float64 { return 0.1 * rng.NormFloat64() }
		fmt.Fprintf(&b, "%g,%g,%g,%g,class %d,%d,%s\n", 1000+u+noise(), u+v+noise(), v+noise(), noise(), class, place, map[bool]string{true: "test", false: "train"}[i/6%5 == 4])
	}
	return b.String()
}

func alike(t *testing.T, split string, change func(*dataset.Spec)) (*dataset.Dataset, error) {
	t.Helper()
	s, err := partition.Parse(split)
	if err != nil {
		t.Fatal(err)
	}
	spec := dataset.Spec{
		Data: []string{"all.csv"}, Split: s, Label: "place", Seed: 1, Ignore: []string{"part"},
		TestWhere: dataset.Condition{Column: "part", Value: "test"},
	}
	if change != nil {
		change(&spec)
	}
	return dataset.LoadAll(spec)
}

// places counts rows by participant and blob.
func places(d *dataset.Dataset, labels func(dataset.Participant) []float64) [][blobs]int {
	out := make([][blobs]int, len(d.Participants))
	for i, p := range d.Participants {
		for _, l := range labels(p) {
			out[i][int(l)]++
		}
	}
	return out
}

// Without shuffling, every participant has the rows of one place per class, to train on and to
// score, also in single precision and with a limit.
func TestAlikeRowsStayTogether(t *testing.T) {
	folder(t, "all.csv", blobsOf(50))
	for name, change := range map[string]func(*dataset.Spec){
		"": nil, "float32": func(s *dataset.Spec) { s.Float32 = true }, "limit": func(s *dataset.Spec) { s.Limit = 60 },
	} {
		d, err := alike(t, "pca-kmeans:clients=3,shuffle=0,label=class", change)
		if err != nil {
			t.Fatal(err)
		}
		train := places(d, func(p dataset.Participant) []float64 { return p.TrainLabels })
		test := places(d, func(p dataset.Participant) []float64 { return p.TestLabels })
		want := 40
		if name == "limit" {
			want = 30
		}
		for i := range train {
			sum, testSum := 0, 0
			for place, n := range train[i] {
				sum, testSum = sum+n, testSum+test[i][place]
				if (n > 0) != (test[i][place] > 0) || name != "limit" && n%40 != 0 || test[i][place]%10 != 0 {
					t.Errorf("%s: participant %d has %v to train on and %v to score", name, i, train[i], test[i])
				}
			}
			if sum != 2*want || testSum != 20 {
				t.Errorf("%s: participant %d has %d and %d rows", name, i, sum, testSum)
			}
		}
	}
}

// Shuffling moves the given share of the rows, less those that return to where they were, and keeps
// each participant's number of rows.
func TestShuffleMovesAShare(t *testing.T) {
	folder(t, "all.csv", blobsOf(200))
	still := placesShuffled(t, "0")
	for share, want := range map[string]float64{"0.3": 0.3 * 2 / 3, "1": 2. / 3} {
		moved, rows := 0, 0
		shuffled := placesShuffled(t, share)
		for i := range still {
			before, after := 0, 0
			for place := range still[i] {
				before, after = before+still[i][place], after+shuffled[i][place]
				moved += max(0, still[i][place]-shuffled[i][place])
			}
			if before != after {
				t.Errorf("shuffle=%s: participant %d has %d rows, before %d", share, i, after, before)
			}
			rows += before
		}
		// Both classes of a participant may be from one place. Swapping a row of one for a row of
		// the other then changes nothing.
		if got := float64(moved) / float64(rows); got > want+0.03 || got < want/2-0.03 {
			t.Errorf("shuffle=%s: a share of %.3f of the rows has moved, want %.3f at most and half of it at least", share, got, want)
		}
	}
}

func placesShuffled(t *testing.T, share string) [][blobs]int {
	t.Helper()
	d, err := alike(t, "pca-kmeans:clients=3,label=class,shuffle="+share, nil)
	if err != nil {
		t.Fatal(err)
	}
	return places(d, func(p dataset.Participant) []float64 { return p.TrainLabels })
}

// Rows of a single column can be dealt, and a class with fewer rows than participants.
func TestAlikeOfFewRows(t *testing.T) {
	folder(t, "all.csv", "x,class,place,part\n1,a,0,train\n2,a,0,train\n30,a,1,train\n31,a,1,train\n5,b,2,train\n6,b,2,test\n")
	d, err := alike(t, "pca-kmeans:clients=2,shuffle=0,label=class", nil)
	if err != nil {
		t.Fatal(err)
	}
	with := map[float64]string{}
	for _, p := range d.Participants {
		for _, x := range values(p.Train) {
			with[x[0]] = p.Name
		}
	}
	if len(with) != 5 || with[1] != with[2] || with[30] != with[31] || with[1] == with[30] {
		t.Errorf("got rows of %v", with)
	}
	folder(t, "all.csv", "x,class,place,part\n1,a,0,train\n2,a,0,train\n5,b,2,test\n6,b,2,test\n")
	want := `column "class": split "pca-kmeans:clients=2,shuffle=0,label=class": class "b" has no training row for its centroids, and 2 to score; give training rows of every class, or another label`
	if _, err := alike(t, "pca-kmeans:clients=2,shuffle=0,label=class", nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
