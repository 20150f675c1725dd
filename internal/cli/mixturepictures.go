package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/numeric/latent"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/model"
)

// graphs draws the direct dependencies of each component, except those of less than the mixture's least weight.
func graphs(x *export.Mixture) plots.Graphs {
	g := plots.Graphs{
		Name: "graphs", Title: "Direct dependencies", Subtitle: "partial correlations of variables within each component",
		Names: x.Variables(), Private: x.Own,
	}
	most := 0
	for k, w := range x.Weights() {
		if w < x.LeastWeight {
			continue
		}
		var links []plots.Link
		for _, d := range gmm.Dependencies(x.Precision(k)) {
			links = append(links, plots.Link{A: d.A, B: d.B, Strength: d.PartialCorrelation})
		}
		most = max(most, len(links))
		g.Panels = append(g.Panels, plots.Graph{Title: fmt.Sprintf("component %d: weight %.3g, %s", k+1, w, count(len(links), "edge")), Links: links})
	}
	if most > plots.MostLinks {
		g.Subtitle += fmt.Sprintf("; the %d strongest of each", plots.MostLinks)
	}
	if left := x.Components() - len(g.Panels); left > 0 {
		g.Subtitle += fmt.Sprintf("; without %s of weight below %.2g", count(left, "component"), x.LeastWeight)
	}
	return g
}

// drawMixture draws a mixture with the own weights.
func drawMixture(dir string, m *model.Model) error {
	x, err := export.MixtureOf(m, true)
	if err != nil {
		return err
	}
	return plots.Draw(dir, graphs(x), weightsHeat(x), meansHeat(m, x.Mixture))
}

// sharesOfAll returns the share of all participants' rows in each component, nil if unknown.
func sharesOfAll(m *gmm.Mixture) []float64 {
	rows, sum := m.ComponentRows(), 0.0
	for _, n := range rows {
		sum += n
	}
	if !(sum > 0) {
		return nil
	}
	for k := range rows {
		rows[k] /= sum
	}
	return rows
}

// weightsHeat shows the own weights beside those of all participants.
func weightsHeat(x *export.Mixture) plots.Heat {
	h := plots.Heat{Name: "component-weights", Title: "Weights of components", Subtitle: "shares of the own rows, and of the rows of all participants", Columns: []string{"own", "all"}, Private: true}
	own, all := x.Weights(), sharesOfAll(x.Mixture)
	columns := [][]float64{own, all}
	switch {
	case all == nil:
		h.Subtitle, h.Columns, columns = "shares of the own rows", h.Columns[:1], columns[:1]
	case floats.EqualApprox(own, all, 1e-9): // they are everybody's
		h.Subtitle, h.Columns, columns = "shares of the rows of all participants", h.Columns[1:], columns[1:]
	}
	most := slices.Max(slices.Concat(columns...))
	for k := range own {
		line := plots.HeatLine{Label: fmt.Sprintf("component %d", k+1)}
		for _, weights := range columns {
			line.Cells = append(line.Cells, plots.Cell{Shade: 0.5 + 0.5*weights[k]/most, Text: fmt.Sprintf("%.3f", weights[k])})
		}
		h.Lines = append(h.Lines, line)
	}
	return h
}

// mostColumns is the number of columns drawn: those in which components differ most.
const mostColumns = 60

// meansHeat shows the means of components in the units of the data, shaded by the distance from
// the mean of all in standard deviations of the column.
func meansHeat(m *model.Model, x *gmm.Mixture) plots.Heat {
	h := plots.Heat{
		Name: "means", Title: "Means of components", Subtitle: "in the units of the columns; shaded by the distance from the mean of all",
		Low: "2 standard deviations below, or more", High: "2 above, or more", Private: m.Manifest.Standardise == "own",
	}
	for k := range x.Components() {
		h.Columns = append(h.Columns, fmt.Sprint(k+1))
	}
	means, distances := m.InUnits(x.Means()), distances(m, x)
	spread := func(j int) float64 { return mat.Norm(distances.ColView(j), 2) }
	order := make([]int, len(m.Manifest.Columns))
	for j := range order {
		order[j] = j
	}
	if len(order) > mostColumns {
		h.Subtitle += fmt.Sprintf("; the %d of %d columns in which components differ most", mostColumns, len(order))
		order = slices.SortedStableFunc(slices.Values(order), func(a, b int) int { return cmp.Compare(spread(b), spread(a)) })[:mostColumns]
	}
	for _, j := range order {
		line := plots.HeatLine{Label: m.Manifest.Columns[j]}
		for k := range x.Components() {
			line.Cells = append(line.Cells, plots.Cell{Shade: 0.5 + distances.At(k, j)/4, Text: fmt.Sprintf("%.4g", means.At(k, j))})
		}
		h.Lines = append(h.Lines, line)
	}
	return h
}

// distances returns a K×columns matrix with the distance of each component's mean from the mean
// of all, in standard deviations of the column under the mixture.
func distances(m *model.Model, x *gmm.Mixture) *mat.Dense {
	weights := sharesOfAll(x)
	if weights == nil {
		weights = x.Weights()
	}
	means, dim := m.InUnits(x.Means()), x.Dim()
	_, columns := means.Dims()
	unit := mat.NewDense(dim, dim, nil)
	for i := range dim {
		unit.Set(i, i, 1)
	}
	// How far each coordinate moves each column.
	moves, origin := m.InUnits(unit), m.InUnits(mat.NewDense(1, dim, nil))
	for i := range dim {
		for j := range columns {
			moves.Set(i, j, moves.At(i, j)-origin.At(0, j))
		}
	}
	centre, variance := make([]float64, columns), make([]float64, columns)
	for k, w := range weights {
		covariance := x.Covariance(k)
		for j := range columns {
			centre[j] += w * means.At(k, j)
			variance[j] += w * mat.Inner(moves.ColView(j), covariance, moves.ColView(j))
		}
	}
	out := mat.NewDense(x.Components(), columns, nil)
	for j := range columns {
		for k, w := range weights {
			d := means.At(k, j) - centre[j]
			out.Set(k, j, d)
			variance[j] += w * d * d
		}
		for k := range weights {
			out.Set(k, j, out.At(k, j)/math.Sqrt(variance[j]))
		}
	}
	return out
}

// scoreName names the axis of scores, as score names their column.
const scoreName = "score"

// scoredBy names what gives a model's scores.
func scoredBy(m *model.Model) string {
	switch m.ScoredBy() {
	case model.Blend:
		return "the blend"
	case model.Alone:
		return "the model of the own rows"
	}
	return "the shared model"
}

// histogram counts the scores of rows around the threshold, both as score gives them.
func histogram(m *model.Model, data *dataset.Dataset) (plots.Histogram, error) {
	own := data.Participants[0]
	scores, err := m.ScoreRows(own.Train)
	if err != nil {
		return plots.Histogram{}, err
	}
	h := plots.Histogram{
		Name: "scores", Title: "Scores of rows", Subtitle: fmt.Sprintf("of %s, by %s of %s; not for sharing", count(len(scores), "row"), scoredBy(m), m.Manifest.Participant),
		X: scoreName, Y: "rows", Mark: m.Threshold(), MarkName: "threshold", Private: true,
	}
	groups := latent.Groups{Names: []string{"rows"}, Of: make([]int, len(scores))}
	if own.TrainLabels != nil {
		places := make([]int, len(scores))
		for i := range places {
			places[i] = i
		}
		groups = latent.Classes(own.TrainLabels, own.ClassLabels, data.Classes, places)
	}
	for _, name := range groups.Names {
		h.Groups = append(h.Groups, plots.HistogramGroup{Name: name})
	}
	for i, g := range groups.Of {
		h.Groups[g].Values = append(h.Groups[g].Values, scores[i])
	}
	return h, nil
}
