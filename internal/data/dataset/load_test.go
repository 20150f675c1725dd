package dataset_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// table has rows to train on, rows to score, and one of neither kind.
const table = `temp,site,flow,label,part
1,north,10,-1,train
2,south,20,-1,train
3,north,30,0,test
4,south,40,1,test
5,north,50,0,old
`

func condition(s string) dataset.Condition {
	c, err := dataset.ParseCondition(s)
	if err != nil {
		panic(err)
	}
	return c
}

func split(s string) partition.Split {
	p, err := partition.Parse(s)
	if err != nil {
		panic(err)
	}
	return p
}

func TestTrainAndTestRows(t *testing.T) {
	folder(t, "all.csv", table)
	for _, c := range []struct {
		name                    string
		where, testWhere        string
		limit                   int
		train, test             [][]float64
		trainLabels, testLabels []float64
	}{
		{"neither", "", "", 2, [][]float64{{1, 10}, {2, 20}}, [][]float64{{1, 10}, {2, 20}}, []float64{-1, -1}, []float64{-1, -1}},
		{"where", "part=train", "", 0, [][]float64{{1, 10}, {2, 20}}, [][]float64{{1, 10}, {2, 20}}, []float64{-1, -1}, []float64{-1, -1}},
		{"test", "", "part=test", 0, [][]float64{{1, 10}, {2, 20}, {5, 50}}, [][]float64{{3, 30}, {4, 40}}, []float64{-1, -1, 0}, []float64{0, 1}},
		{"both", "part=train", "part=test", 1, [][]float64{{1, 10}}, [][]float64{{3, 30}, {4, 40}}, []float64{-1}, []float64{0, 1}},
		{"a row meets both", "site=south", "part=test", 0, [][]float64{{2, 20}}, [][]float64{{3, 30}, {4, 40}}, []float64{-1}, []float64{0, 1}},
	} {
		d, err := dataset.LoadOne(dataset.Spec{
			Data: []string{"all.csv"}, Label: "label", Limit: c.limit,
			Where: condition(c.where), TestWhere: condition(c.testWhere), Ignore: []string{" part "},
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := d.Participants[0]
		if !reflect.DeepEqual(values(p.Train), c.train) || !slices.Equal(p.TrainLabels, c.trainLabels) {
			t.Errorf("%s: training rows %v %v, want %v %v", c.name, values(p.Train), p.TrainLabels, c.train, c.trainLabels)
		}
		if !reflect.DeepEqual(values(p.Test), c.test) || !slices.Equal(p.TestLabels, c.testLabels) {
			t.Errorf("%s: test rows %v %v, want %v %v", c.name, values(p.Test), p.TestLabels, c.test, c.testLabels)
		}
		if same := p.Test == p.Train; same != (c.testWhere == "") {
			t.Errorf("%s: one matrix for both is %t", c.name, same)
		}
		if p.Name != "all" || !slices.Equal(d.Columns, []string{"temp", "flow"}) || p.ClassLabels {
			t.Errorf("%s: got %q with columns %q", c.name, p.Name, d.Columns)
		}
	}
}

func TestColumnsOfTextAreNoFeatures(t *testing.T) {
	folder(t, "all.csv", table)
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"all.csv"}, Label: "label", Ignore: []string{"temp"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Columns, []string{"flow"}) || !slices.Equal(d.Ignored, []string{"site", "part"}) {
		t.Errorf("got features %q and ignored %q", d.Columns, d.Ignored)
	}
}

func TestColumnsOfAModel(t *testing.T) {
	folder(t, "all.csv", table)
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"all.csv"}, Columns: []string{"flow", "temp"}, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(d.Participants[0].Train); !reflect.DeepEqual(got, [][]float64{{10, 1}}) || d.Participants[0].TestLabels != nil {
		t.Errorf("got %v, want the columns in the order asked for and no labels", got)
	}
}

func TestSplitByColumn(t *testing.T) {
	folder(t, "b.csv", table, "a.csv", table)
	d, err := dataset.LoadAll(dataset.Spec{
		Data: []string{"b.csv", "a.csv"}, Split: split("column=site,min=3"), Limit: 5, TestWhere: condition("part=test"), Ignore: []string{"label"},
	})
	if err == nil {
		t.Fatalf("got %d participants, want an error: south has two training rows", len(d.Participants))
	}
	d, err = dataset.LoadAll(dataset.Spec{
		Data: []string{"b.csv", "a.csv"}, Split: split("column=site"), Limit: 3, TestWhere: condition("part=test"), Ignore: []string{"label"},
	})
	if err != nil {
		t.Fatal(err)
	}
	north, south := d.Participants[0], d.Participants[1]
	if north.Name != "north" || south.Name != "south" {
		t.Errorf("got %q and %q", north.Name, south.Name)
	}
	if got := values(north.Train); !reflect.DeepEqual(got, [][]float64{{1, 10}, {5, 50}, {1, 10}}) {
		t.Errorf("north trains on %v, want the first three of both files", got)
	}
	if got := values(south.Test); !reflect.DeepEqual(got, [][]float64{{4, 40}, {4, 40}}) {
		t.Errorf("south is scored on %v", got)
	}
}

func TestSplitByFile(t *testing.T) {
	folder(t,
		"data/plant-b.csv", "x,y\n1,2\n3,4\n",
		"data/plant-a.Csv.GZ", zipped(t, "\ufeffy, x\r\n1,2\r\n\r\n3, 4\r\n5,\"6\"\r\n"),
		"data/plant-c.CSV", "x,y\n9,9\n",
		"data/README.md", "not data", "data/._plant-a.csv", "junk")
	for _, data := range [][]string{{"data"}, {"data/*"}, {"data/plant-c.CSV", "data/plant-[ab]*"}} {
		d, err := dataset.LoadAll(dataset.Spec{Data: data, MinRows: 2})
		if err != nil {
			t.Fatal(err)
		}
		a, b := d.Participants[0], d.Participants[1]
		if len(d.Participants) != 2 || a.Name != "plant-a" || b.Name != "plant-b" {
			t.Fatalf("%q: got %d participants, first %q", data, len(d.Participants), a.Name)
		}
		if !slices.Equal(d.LeftOut, []dataset.LeftOut{{Name: "plant-c", Rows: 1}}) {
			t.Errorf("%q: left out %v", data, d.LeftOut)
		}
		x := slices.Index(d.Columns, "x")
		if a.Train.(rows.Matrix).At(2, x) != 6 || a.Train.(rows.Matrix).At(1, 1-x) != 3 || b.Train.(rows.Matrix).At(1, x) != 3 {
			t.Errorf("%q: columns are not matched by name: %v %v", data, values(a.Train), values(b.Train))
		}
	}
}

// TestWithoutTrainingRows checks that participants are listed as left out if all their rows are
// scored or dropped.
func TestWithoutTrainingRows(t *testing.T) {
	const head = "x,site,part\n"
	folder(t,
		"a.csv", head+"1,north,train\n2,west,train\n", "b.csv", head+"3,north,train\n4,south,test\n",
		"c.csv", head+"broken,east,old\nbroken,,old\nbroken,no/name,old\n", "d.csv", head+"5,south,test\n")
	for by, want := range map[string][]dataset.LeftOut{
		"files":       {{Name: "c"}, {Name: "d"}},
		"column=site": {{Name: "east"}, {Name: "south"}},
	} {
		d, err := dataset.LoadAll(dataset.Spec{
			Data: []string{"."}, Split: split(by), Where: condition("part=train"), TestWhere: condition("part=test"), Ignore: []string{"site"},
		})
		if err != nil || len(d.Participants) != 2 || !slices.Equal(d.LeftOut, want) {
			t.Errorf("%s: got %+v, %v, want %v left out", by, d, err, want)
		}
	}
}

// TestLinesOfBlanks checks that lines of blanks are skipped like empty lines, and still counted in
// line numbers.
func TestLinesOfBlanks(t *testing.T) {
	for _, head := range []string{"x\n", "x,y\n"} {
		cells := strings.Repeat(",2", strings.Count(head, ","))
		folder(t, "f.csv", " \t\r\n"+head+"1"+cells+"\n  \n\n\t\n3"+cells+"\nbroken"+cells+"\n ")
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}})
		wantError(t, err, `f.csv:8: column "x": want a number, got "broken"; fix the cell, or leave the column out with --ignore x`)
	}
	folder(t, "f.csv", "x\n1\n\"\"\n", "g.csv", "x\n1\n\"  ")
	_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}})
	wantError(t, err, `f.csv:3: column "x": the cell is empty; fill it, or leave the column out with --ignore x, or see --missing`)
	_, err = dataset.LoadOne(dataset.Spec{Data: []string{"g.csv"}})
	wantError(t, err, `g.csv:3: malformed row: extraneous or missing " in quoted-field; write a quote inside a cell as ""`)
}

// Labels are of the same kind at all participants, whatever values each has.
func TestLabelsAreOfOneKind(t *testing.T) {
	for second, classes := range map[string]bool{"x,kind\n1,0\n2,1\n": false, "x,kind\n1,1\n2,2\n": true} {
		folder(t, "a.csv", "x,kind\n1,0\n2,1\n", "b.csv", second)
		d, err := dataset.LoadAll(dataset.Spec{Data: []string{"."}, Label: "kind"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Participants {
			if p.ClassLabels != classes {
				t.Errorf("%s beside %q: class labels %t", p.Name, second, p.ClassLabels)
			}
		}
		one, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Label: "kind", ClassLabels: classes})
		if err != nil || one.Participants[0].ClassLabels != classes {
			t.Errorf("alone: %v, want class labels %t", err, classes)
		}
	}
}

func TestTextLabels(t *testing.T) {
	folder(t, "a.csv", "x,kind\n1,pear\n2,apple\n", "b.csv", "x,kind\n1,apple\n2,fig\n3,pear\n")
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"."}, Label: "kind"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Classes, []string{"apple", "fig", "pear"}) || !d.Participants[0].ClassLabels {
		t.Errorf("got classes %q, class labels %t", d.Classes, d.Participants[0].ClassLabels)
	}
	if a, b := d.Participants[0].TestLabels, d.Participants[1].TrainLabels; !slices.Equal(a, []float64{4, 2}) || !slices.Equal(b, []float64{2, 3, 4}) {
		t.Errorf("got labels %v and %v", a, b)
	}
}

// TestDealIsEven checks that an iid split gives every row, with its label, to one participant,
// evenly, and that the seed determines the split.
func TestDealIsEven(t *testing.T) {
	content := "x,label\n"
	for i := range 103 {
		content += fmt.Sprintf("%d,%d\n", i, i%2)
	}
	folder(t, "rows.csv", content)
	rapid.Check(t, func(t *rapid.T) {
		clients := rapid.IntRange(2, 40).Draw(t, "clients")
		spec := dataset.Spec{Data: []string{"rows.csv"}, Label: "label", Split: partition.Split{Kind: partition.IID, Clients: clients}, Seed: rapid.Uint64().Draw(t, "seed")}
		d, err := dataset.LoadAll(spec)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := dataset.LoadAll(spec)
		var seen []float64
		for s, p := range d.Participants {
			n, _ := p.Train.Dims()
			if n != 103/clients && n != 103/clients+1 {
				t.Fatalf("%s has %d of 103 rows among %d", p.Name, n, clients)
			}
			for i := range n {
				if v := p.Train.(rows.Matrix).At(i, 0); p.TrainLabels[i] != float64(int(v)%2) || again.Participants[s].Train.(rows.Matrix).At(i, 0) != v {
					t.Fatalf("%s: row %v has label %v, the second time %v", p.Name, v, p.TrainLabels[i], again.Participants[s].Train.(rows.Matrix).At(i, 0))
				}
				seen = append(seen, p.Train.(rows.Matrix).At(i, 0))
			}
		}
		slices.Sort(seen)
		if len(slices.Compact(seen)) != 103 || d.Participants[0].Name != "p0001" {
			t.Fatalf("%d rows were given out, first to %q", len(seen), d.Participants[0].Name)
		}
	})
}

func TestDealTestRows(t *testing.T) {
	folder(t, "all.csv", table)
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"all.csv"}, Split: split("iid:clients=2"), Limit: 1, TestWhere: condition("part=test"), Ignore: []string{"label"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Participants {
		if train, test := values(p.Train), values(p.Test); len(train) != 1 || len(test) != 1 || test[0][0] < 3 || test[0][0] > 4 {
			t.Errorf("%s trains on %v and scores %v", p.Name, train, test)
		}
	}
}

func TestManyNamesSort(t *testing.T) {
	var names []string
	for i := range 12000 {
		names = append(names, dataset.NumberedName(i, 12000))
	}
	if !slices.IsSorted(names) || names[0] != "p00001" || dataset.NumberedName(8, 9999) != "p0009" {
		t.Errorf("names begin with %q and are sorted: %t", names[:2], slices.IsSorted(names))
	}
}
