package dataset_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// idxBytes returns an array of unsigned bytes.
func idxBytes(shape []int, values ...byte) string {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return string(append(b, values...))
}

// digits returns n images of 2 by 3 pixels, and their labels.
func digits(n int) (images, labels string) {
	var pixels, classes []byte
	for i := range n {
		for j := range 6 {
			pixels = append(pixels, byte(7*i+j))
		}
		classes = append(classes, byte(i%3))
	}
	return idxBytes([]int{n, 2, 3}, pixels...), idxBytes([]int{n}, classes...)
}

// dense returns all rows as a matrix.
func dense(t *testing.T, of collabdict.Rows) *mat.Dense {
	t.Helper()
	x, err := rows.Dense(of)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Images are held as bytes, or read again from their file if it is not compressed. Their labels are
// a column and not a feature.
func TestImages(t *testing.T) {
	images, labels := digits(600)
	folder(t,
		"train-images-idx3-ubyte", images, "train-labels-idx1-ubyte.gz", zipped(t, labels),
		"z/train-images-idx3-ubyte.gz", zipped(t, images), "z/train-labels-idx1-ubyte.gz", zipped(t, labels),
		"n/Images.idx3-ubyte", images,
	)
	var first *mat.Dense
	for _, file := range []string{"train-images-idx3-ubyte", "z/train-images-idx3-ubyte.gz", "n/Images.idx3-ubyte"} {
		for _, memory := range []int64{0, 1} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: memory, Name: "site", Float32: true})
			if file[0] == 'z' && memory == 1 {
				var fault *dataset.Error
				if !errors.As(err, &fault) || fault.File != file {
					t.Fatalf("got %v, want an error about %s", err, file)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3"}; !slices.Equal(d.Columns, want) || d.Ignored != nil {
				t.Errorf("columns %q, ignored %q", d.Columns, d.Ignored)
			}
			train := d.Participants[0].Train
			if _, held := train.(*rows.Bytes); held != (memory == 0) {
				t.Errorf("memory %d: rows are %T", memory, train)
			}
			x := dense(t, train)
			if first == nil {
				first = x
			}
			if n, _ := x.Dims(); n != 600 || x.At(2, 4) != 18 || !mat.Equal(x, first) {
				t.Errorf("%s: got %d rows, %v", file, n, x.RawRowView(2))
			}
		}
	}
}

// Labels of images can select rows and divide them among participants.
func TestLabelsOfImages(t *testing.T) {
	images, labels := digits(600)
	folder(t, "train-images-idx3-ubyte.gz", zipped(t, images), "train-labels-idx1-ubyte", labels)
	spec := dataset.Spec{Data: []string{"train-images-idx3-ubyte.gz"}, Label: "label", Where: dataset.Condition{Column: "label", Value: "2"}}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	p := d.Participants[0]
	if n, _ := p.Train.Dims(); p.Name != "train-images" || n != 200 || p.TrainLabels[0] != 2 || dense(t, p.Train).At(1, 0) != 35 {
		t.Errorf("%s: %d rows, labels %v", p.Name, n, p.TrainLabels[:3])
	}
	spec.Where = dataset.Condition{Column: "r1c1", Value: "7"}
	if d, err = dataset.LoadOne(spec); err != nil || len(d.Columns) != 5 {
		t.Errorf("%v; columns %q", err, d.Columns)
	}
	spec.Where = dataset.Condition{}
	for _, text := range []string{"dirichlet:alpha=0.5,clients=4,label=label", "quantity:alpha=1,clients=3,label=label", "classes:least=1,most=2,clients=3,label=label", "iid:clients=5"} {
		if spec.Split, err = partition.Parse(text); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.LoadAll(spec)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, p := range d.Participants {
			x := dense(t, p.Train)
			n, _ := x.Dims()
			sum += n
			for i := range n {
				// Image i begins with 7i modulo 256, which does not determine its class.
				if v := p.TrainLabels[i]; v < 0 || v > 2 || x.At(i, 1) != float64(byte(x.At(i, 0)+1)) {
					t.Fatalf("%s: %s: row %v has label %g", text, p.Name, x.RawRowView(i), v)
				}
			}
			if _, held := p.Train.(*rows.Bytes); !held {
				t.Errorf("%s: rows are %T", text, p.Train)
			}
		}
		if sum += left(d); sum != 600 {
			t.Errorf("%s: %d rows", text, sum)
		}
	}
}

func left(d *dataset.Dataset) (rows int) {
	for _, l := range d.LeftOut {
		rows += l.Rows
	}
	return rows
}

// The labels of a folder's images are found beside them. IDX and CSV files can have the same
// columns.
func TestImagesAmongOthers(t *testing.T) {
	images, labels := digits(4)
	folder(t,
		"mnist/t10k-images-idx3-ubyte", images, "mnist/t10k-labels-idx1-ubyte", labels,
		"mnist/train-images.idx3-ubyte", images, "mnist/train-labels.idx1-ubyte", labels,
		"c-idx2-ubyte", idxBytes([]int{2, 2}, 1, 2, 3, 4), "d.csv", "c1,c2\n0.5,2\n",
	)
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"mnist"}, Label: "label"})
	if err != nil || len(d.Participants) != 2 || d.Participants[0].Name != "t10k-images" || d.Participants[1].Name != "train-images" {
		t.Fatalf("%+v, %v", d, err)
	}
	d, err = dataset.LoadAll(dataset.Spec{Data: []string{"c-idx2-ubyte", "d.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	got := [][][]float64{values(d.Participants[0].Train), values(d.Participants[1].Train)}
	if want := [][][]float64{{{1, 2}, {3, 4}}, {{0.5, 2}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	var numbers []int
	_, err = dataset.Scan(dataset.Spec{Data: []string{"mnist/t10k-images-idx3-ubyte"}, Columns: []string{"r2c3", "r1c1"}}, uncarried, func(b dataset.Block) error {
		x := b.X
		n := b.Numbers

		numbers = append(numbers, n...)
		if x.At(1, 0) != 12 || x.At(1, 1) != 7 {
			t.Errorf("scanned %v", x.RawRowView(1))
		}
		return nil
	})
	if err != nil || !slices.Equal(numbers, []int{1, 2, 3, 4}) {
		t.Errorf("%v, %v", numbers, err)
	}
}

func TestImagesThatCannotBeRead(t *testing.T) {
	images, labels := digits(5)
	many, _ := digits(5000)
	cut := zipped(t, many)
	cut = cut[:len(cut)/2]
	shape := []int{5, 2, 3}
	broken := []byte(zipped(t, images))
	broken[len(broken)-6] ^= 1 // in the checksum
	for i, c := range []struct{ name, content, want string }{
		{"x-idx3-ubyte", images[:20], "x-idx3-ubyte: want 46 bytes for an array of shape [5 2 3], got 20; copy it again"},
		{"x-idx3-ubyte", "0123456789", "x-idx3-ubyte: want an IDX file, which begins with two zero bytes, got 0x3031"},
		{"x-idx3-ubyte.gz", zipped(t, "0123456789"), "x-idx3-ubyte.gz: want an IDX file, which begins with two zero bytes, got 0x3031"},
		{"x-idx3-ubyte", labels, "x-idx3-ubyte: want images, an array of 3 dimensions, or rows, one of 2, got 1"},
		{"x-idx3-ubyte.gz", zipped(t, idxBytes([]int{9, 1 << 10, 1 << 10})), "x-idx3-ubyte.gz: want at most 16384 pixels an image, got [1024 1024]"},
		{"x-idx3-ubyte.gz", zipped(t, images[:len(images)-1]), "x-idx3-ubyte.gz: the compressed file ends too early; copy it again"},
		{"x-idx3-ubyte.gz", zipped(t, images+"."), "x-idx3-ubyte.gz: there are more bytes than the images take; copy it again"},
		{"x-idx3-ubyte.gz", string(broken), "x-idx3-ubyte.gz: the compressed file is damaged; copy it again"},
		{"x-idx3-ubyte.gz", cut, "x-idx3-ubyte.gz: the compressed file ends too early; copy it again"},
		{"x-idx3-ubyte", "", "x-idx3-ubyte: the file ends in the magic number"},
		{"x-idx1-ubyte", labels, "x-idx1-ubyte: these are labels; give the file of the images beside it: the labels become its column label"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			folder(t, c.name, c.content)
			_, err := dataset.LoadOne(dataset.Spec{Data: []string{c.name}})
			wantError(t, err, c.want)
		})
	}
	for i, c := range []struct{ labels, want string }{
		{idxBytes([]int{4}, 1, 2, 3, 4), "a-labels-idx1-ubyte: want 5 labels, one for each image of a-images-idx3-ubyte, got an array of shape [4]"},
		{idxBytes(shape), "a-labels-idx1-ubyte: want 30 values, got 0: the file ends too early"},
	} {
		t.Run(fmt.Sprint("labels", i), func(t *testing.T) {
			folder(t, "a-images-idx3-ubyte", images, "a-labels-idx1-ubyte", c.labels)
			_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a-images-idx3-ubyte"}, Label: "label"})
			wantError(t, err, c.want)
		})
	}
	folder(t, "a-images-idx3-ubyte", images)
	_, err := dataset.LoadOne(dataset.Spec{Data: []string{"a-images-idx3-ubyte"}, Label: "label"})
	wantError(t, err, `a-images-idx3-ubyte: column "label": there is no such column; columns are "r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3"; labels would be in a-labels-idx1-ubyte`)
}

func TestImageShape(t *testing.T) {
	for _, c := range []struct {
		columns       string
		height, width int
	}{
		{"r1c1 r1c2 r1c3 r2c1 r2c2 r2c3", 2, 3},
		{"r1c1", 1, 1},
		{"r1c1 r2c1", 2, 1},
		{"r1c2 r1c1", 0, 0},
		{"r1c1 r2c2", 0, 0},
		{"r1c1 r1c2 r2c2", 0, 0},
		{"r1c1 r0c0", 0, 0},
		{"r1c1 r4611686018427387905c4", 0, 0},
		{"c1 c2", 0, 0},
		{"temp_1 r1c2", 0, 0},
		{"", 0, 0},
	} {
		height, width, ok := dataset.ImageShape(strings.Fields(c.columns))
		if height != c.height || width != c.width || ok != (c.height > 0) {
			t.Errorf("%s: got %d by %d, %t", c.columns, height, width, ok)
		}
	}
}
