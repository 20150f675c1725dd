package cli

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/latent"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// draw draws rows as a model represents them: their codes and, for images, their
// reconstructions.
func draw(dir string, m *model.Model, data *dataset.Dataset, v *latent.View) error {
	own := data.Participants[0]
	var groups latent.Groups
	if own.TrainLabels != nil {
		groups = latent.Classes(own.TrainLabels, own.ClassLabels, data.Classes, v.Places)
	} else {
		scores, err := v.Scores(m, own.Train)
		if err != nil {
			return err
		}
		groups = latent.Grades(scores, m.Threshold())
	}
	if err := plots.Draw(dir, codes(m, v, groups)); err != nil {
		return err
	}
	if _, _, ok := dataset.ImageShape(m.Manifest.Columns); !ok {
		return nil
	}
	s, err := originals(m, own.Train, v.Places, groups)
	if err != nil {
		return err
	}
	return plots.Draw(dir, s)
}

// codes plots the two latent variables whose means vary most, or the only one and the
// reconstruction error.
func codes(m *model.Model, v *latent.View, g latent.Groups) plots.Scatter {
	active := v.Active()
	name := func(i int) string {
		return fmt.Sprintf("latent variable %d (variance of its means %s)", i+1, report.Fixed(v.Variances[i], 3))
	}
	s := plots.Scatter{
		Name: "latent", Title: "Codes of own rows", Subtitle: "by the encoder of " + m.Manifest.Participant + "; not for sharing",
		X: name(active[0]), Y: "squared error of the reconstructed row", Of: g.Of, Groups: g.Names, Graded: g.Graded, Last: g.Rest, Private: true,
		At: plots.Points{X: mat.Col(nil, active[0], v.Codes), Y: v.Lost},
	}
	if len(active) > 1 {
		s.Y, s.At.Y = name(active[1]), mat.Col(nil, active[1], v.Codes)
	}
	return s
}

// exampleImages is the number of images shown side by side.
const exampleImages = 10

// originals shows images above their reconstructions.
func originals(m *model.Model, rows collabdict.Rows, places []int, g latent.Groups) (plots.Sheet, error) {
	s := sheet(m, "reconstruction", "Images, above their reconstructions")
	s.Subtitle += "; not for sharing"
	for _, e := range g.Examples(exampleImages) {
		at := make([]int, len(e.Rows))
		for j, row := range e.Rows {
			at[j] = places[row]
		}
		x, decoded, err := latent.Decoded(m, rows, at)
		if err != nil {
			return s, err
		}
		s.Lines = append(s.Lines,
			plots.SheetLine{Label: e.Name, Apart: true, Images: images(x)},
			plots.SheetLine{Label: "decoded", Images: images(decoded)})
	}
	return s, nil
}

// Decoded points lie on a grid from -gridEnd to gridEnd in both latent variables, which have
// mean 0 and variance 1 under the prior.
const (
	gridEnd  = 3
	gridStep = 0.5
	gridSide = 2*gridEnd/gridStep + 1
)

// hasGrid reports whether the model decodes points of a plane to images.
func hasGrid(m *model.Model) bool {
	c, ok := m.Learned.(algorithm.Coder)
	_, _, images := dataset.ImageShape(m.Manifest.Columns)
	return ok && images && c.Latent() == 2
}

func drawGrid(dir string, m *model.Model) error {
	s := sheet(m, "decoded", "Reconstructions of latent variables")
	s.X, s.Y = "latent variable 1", "latent variable 2"
	at := func(i int) float64 { return gridStep*float64(i) - gridEnd }
	for i := range int(gridSide) {
		y := at(gridSide - 1 - i)
		points := mat.NewDense(gridSide, 2, nil)
		for j := range int(gridSide) {
			points.SetRow(j, []float64{at(j), y})
		}
		decoded, err := m.Learned.(algorithm.Coder).Decode(points)
		if err != nil {
			return err
		}
		s.Lines = append(s.Lines, plots.SheetLine{Label: mark(y), Images: images(m.InUnits(decoded))})
		s.Columns = append(s.Columns, mark(at(i)))
	}
	return plots.Draw(dir, s)
}

func mark(v float64) string { return strings.Replace(fmt.Sprint(v), "-", "−", 1) }

// sheet returns a sheet without images.
func sheet(m *model.Model, name, title string) plots.Sheet {
	height, width, _ := dataset.ImageShape(m.Manifest.Columns)
	return plots.Sheet{Name: name, Title: title, Subtitle: "by the model of " + m.Manifest.Participant, Height: height, Width: width, Private: true}
}

func images(x *mat.Dense) [][]float64 {
	n, _ := x.Dims()
	all := make([][]float64, n)
	for i := range all {
		all[i] = x.RawRowView(i)
	}
	return all
}
