package plots

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

// pixels makes up images.
func pixels(images, size int) [][]float64 {
	all := make([][]float64, images)
	for i := range all {
		for j := range size {
			all[i] = append(all[i], float64((i*j*7)%300)-20)
		}
	}
	return all
}

// Images of any shape fit the sheet, keep their proportions, and give the same bytes each time.
func TestSheet(t *testing.T) {
	for _, shape := range [][2]int{{28, 28}, {1, 1}, {1, 300}, {300, 1}, {4, 2}} {
		height, width := shape[0], shape[1]
		s := Sheet{
			Name: "s", Title: "T", Subtitle: "S", Height: height, Width: width, X: "x", Y: "y", Columns: []string{"−1", "0", "1"},
			Lines: []SheetLine{{Label: "class", Apart: true, Images: pixels(3, height*width)}, {Images: pixels(2, height*width)}, {Label: "short", Apart: true}},
		}
		l := s.layout()
		if want := float64(height) / float64(width); l.across > 1 && l.up > 1 && math.Abs(float64(l.up/l.across)-want) > 1e-9 {
			t.Errorf("%v: an image is %g by %g", shape, l.up, l.across)
		}
		if l.across < 1 || l.up < 1 || l.up > largestImage || l.left+3*(l.across+imageGap) > widthOfBody {
			t.Errorf("%v: %+v", shape, l)
		}
		f := s.figure()
		svg, _, err := f.svg()
		again, _, _ := s.figure().svg()
		if err != nil || !bytes.Equal(svg, again) || wellFormed(svg) != nil {
			t.Errorf("%v: another sheet when it is drawn again: %v, %v", shape, err, wellFormed(svg))
		}
		if n := bytes.Count(svg, []byte(`image-rendering:pixelated" x=`)); n != 5 || bytes.Count(svg, []byte("data:image/png;base64,")) != 5 {
			t.Errorf("%v: %d images, want 5", shape, n)
		}
		b, _, err := f.png()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

const widthOfBody = width - 2*margin

// A line of more images than fit makes all of them smaller.
func TestLongLinesFit(t *testing.T) {
	s := Sheet{Height: 2, Width: 2, Lines: []SheetLine{{Label: "many", Images: pixels(60, 4)}}}
	if l := s.layout(); l.left+60*(l.across+imageGap) > widthOfBody+vg.Length(1e-6) {
		t.Errorf("%+v", l)
	}
}

func TestPixels(t *testing.T) {
	s := Sheet{Height: 2, Width: 3}
	im := s.image([]float64{0, 255, 300, -1, 127.6, math.NaN()}).(*image.Gray)
	size := im.Bounds().Dx() / 3
	for i, want := range []uint8{0, 255, 255, 0, 128, 0} {
		for _, corner := range []int{0, size - 1} {
			if got := im.GrayAt(i%3*size+corner, i/3*size+corner).Y; got != want {
				t.Errorf("pixel %d is %d, want %d", i, got, want)
			}
		}
	}
}
