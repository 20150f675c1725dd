package bvae

import (
	"fmt"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// set holds images of ten classes, and their normalisation.
type set struct {
	name, folder string
	mean, sd     float32
	train, test  images // nil until they are read
}

const pixels, classes = 28 * 28, 10

func sets() []*set {
	return []*set{
		{name: "MNIST", folder: "mnist", mean: 0.1307, sd: 0.3081},
		{name: "Fashion-MNIST", folder: "fashion-mnist", mean: 0.2860, sd: 0.3530},
	}
}

func (s *set) files() []string {
	return []string{
		s.folder + "/train-images-idx3-ubyte.gz", s.folder + "/train-labels-idx1-ubyte.gz",
		s.folder + "/t10k-images-idx3-ubyte.gz", s.folder + "/t10k-labels-idx1-ubyte.gz",
	}
}

// images holds the pixels, image after image, and the class of each image.
type images struct{ pixels, labels []byte }

func (i images) len() int { return len(i.labels) }

// read reads at most the given numbers of images, once.
func (s *set) read(l *study.Lab, train, test int) (err error) {
	if s.train.len() > 0 {
		return nil
	}
	files := s.files()
	if s.train, err = readImages(l, files[0], files[1], train); err != nil {
		return err
	}
	s.test, err = readImages(l, files[2], files[3], test)
	return err
}

func readImages(l *study.Lab, of, labels string, most int) (images, error) {
	x, err := l.ReadIDX(of)
	if err != nil {
		return images{}, err
	}
	if len(x.Shape) != 3 || x.Shape[1]*x.Shape[2] != pixels {
		return images{}, fmt.Errorf("%s: want images of 28 by 28, got an array of shape %v", l.Path(of), x.Shape)
	}
	y, err := l.ReadIDX(labels)
	if err != nil {
		return images{}, err
	}
	if len(y.Shape) != 1 || len(y.Data) != x.Shape[0] {
		return images{}, fmt.Errorf("%s: want labels of %d images, got an array of shape %v", l.Path(labels), x.Shape[0], y.Shape)
	}
	for i, c := range y.Data {
		if c >= classes {
			return images{}, fmt.Errorf("%s: label %d: want from 0 to %d, got %d", l.Path(labels), i+1, classes-1, c)
		}
	}
	n := min(most, len(y.Data))
	return images{x.Data[:n*pixels], y.Data[:n]}, nil
}

// rows returns the given images, or all if numbers is nil. Pixels from 0 to 1 are normalised.
func (s *set) rows(of images, numbers []int) []float32 {
	var byValue [256]float32
	for v := range byValue {
		byValue[v] = (float32(v)/255 - s.mean) / s.sd
	}
	if numbers == nil {
		for i := range of.len() {
			numbers = append(numbers, i)
		}
	}
	out := make([]float32, 0, len(numbers)*pixels)
	for _, i := range numbers {
		for _, v := range of.pixels[i*pixels:][:pixels] {
			out = append(out, byValue[v])
		}
	}
	return out
}
