package together

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// The ways in which rows are divided among participants.
const (
	natural  = "natural"
	clusters = "clusters"
	evenly   = "evenly"
)

func (s *set) ways() []string {
	if s.kind == dealt {
		return []string{clusters, evenly}
	}
	return []string{natural}
}

const (
	hands      = 5   // participants to which rows are dealt
	mixed      = 10  // clusters, dealt in unequal shares
	trainedOf  = 0.6 // share of the normal rows used for training
	fewestRows = 2
)

// hand holds the rows of a participant.
type hand struct {
	train []row // normal ones
	test  []row
}

// both reports whether the test rows include anomalies and normal rows.
func (h hand) both() bool {
	found := slices.ContainsFunc(h.test, func(r row) bool { return r.anomaly })
	return found && slices.ContainsFunc(h.test, func(r row) bool { return !r.anomaly })
}

// deal returns the participants of a set, with at most the given number of its rows in all. The
// same seed gives the same rows.
func (s *set) deal(all []row, way string, most int, seed uint64) ([]hand, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var out []hand
	switch {
	case s.kind == machines:
		out = s.blocks(all, most, random)
	case s.kind == fleets:
		out = byTest(all, most, random)
	default:
		drawn := draw(all, most, random)
		normal, anomalies := parted(drawn)
		if len(normal) < hands {
			return nil, fmt.Errorf("%s: want at least %d normal rows, got %d", s.name, hands, len(normal))
		}
		random.Shuffle(len(normal), func(i, j int) { normal[i], normal[j] = normal[j], normal[i] })
		random.Shuffle(len(anomalies), func(i, j int) { anomalies[i], anomalies[j] = anomalies[j], anomalies[i] })
		out = divided(s.owned(normal, way, random), anomalies, random)
	}
	for i, h := range out {
		if len(h.train) < fewestRows {
			return nil, fmt.Errorf("%s, %s: participant %d has %d training rows, want at least %d: give more rows", s.name, way, i+1, len(h.train), fewestRows)
		}
	}
	return out, nil
}

// draw returns the given number of rows, or all, in their order.
func draw(all []row, most int, random *rand.Rand) []row {
	if len(all) <= most {
		return slices.Clone(all)
	}
	places := random.Perm(len(all))[:most]
	slices.Sort(places)
	out := make([]row, most)
	for i, at := range places {
		out[i] = all[at]
	}
	return out
}

// parted returns the normal rows, and the anomalies.
func parted(all []row) (normal, anomalies []row) {
	for _, r := range all {
		if r.anomaly {
			anomalies = append(anomalies, r)
		} else {
			normal = append(normal, r)
		}
	}
	return normal, anomalies
}

// owners returns the rows by participant.
func owners(all []row) (out [][]row) {
	for _, r := range all {
		for r.owner >= len(out) {
			out = append(out, nil)
		}
		out[r.owner] = append(out[r.owner], r)
	}
	return out
}

// blocks gives each machine a contiguous block of its training rows, from a random place, so
// that a smaller share is of consecutive times, too. It draws the test rows.
func (s *set) blocks(all []row, most int, random *rand.Rand) (out []hand) {
	share := float64(most) / float64(len(s.files))
	for _, own := range owners(all) {
		train, test := byRole(own)
		n := min(len(train), int(share*trainedOf))
		from := random.IntN(len(train) - n + 1)
		out = append(out, hand{train: train[from : from+n], test: draw(test, int(share*(1-trainedOf)), random)})
	}
	return out
}

// byRole returns the training rows and the test rows.
func byRole(all []row) (train, test []row) {
	for _, r := range all {
		if r.test {
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	return train, test
}

// byTest divides rows that are marked as training or test rows.
func byTest(all []row, most int, random *rand.Rand) (out []hand) {
	train, test := byRole(all)
	train, test = draw(train, int(float64(most)*trainedOf), random), draw(test, int(float64(most)*(1-trainedOf)), random)
	random.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
	tested := owners(test)
	for i, own := range owners(train) {
		h := hand{train: own}
		if i < len(tested) {
			h.test = tested[i]
		}
		out = append(out, h)
	}
	return out
}

// divided gives each participant a share of its normal rows for training. It tests on the rest,
// so that both have the same mixture. Each participant tests on the same number of anomalies.
func divided(normal [][]row, anomalies []row, random *rand.Rand) (out []hand) {
	for _, own := range normal {
		random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		n := int(float64(len(own)) * trainedOf)
		out = append(out, hand{train: own[:n:n], test: own[n:]})
	}
	for i, r := range anomalies {
		h := &out[i%len(out)]
		h.test = append(h.test, r)
	}
	return out
}

// owned deals normal rows in the given way.
func (s *set) owned(normal []row, way string, random *rand.Rand) [][]row {
	switch way {
	case natural:
		return owners(normal)
	case clusters:
		return byClusters(normal, random)
	}
	out := make([][]row, hands)
	for i, r := range normal {
		out[i%hands] = append(out[i%hands], r)
	}
	return out
}

// byClusters lets participants take turns. Each takes a row from a cluster that it draws by its
// own shares, from a Dirichlet distribution of concentration 0.5, among clusters with rows
// left. So all have the same number of rows, and the last rows differ less.
func byClusters(normal []row, random *rand.Rand) [][]row {
	of := clustered(normal, random)
	shares := make([][]float64, hands)
	for i := range shares {
		for range of {
			v := random.NormFloat64()
			shares[i] = append(shares[i], v*v) // proportional to a Gamma variable of shape 0.5
		}
	}
	out := make([][]row, hands)
	for turn := range normal {
		to := turn % hands
		c := pick(of, shares[to], random)
		last := len(of[c]) - 1
		out[to] = append(out[to], of[c][last])
		of[c] = of[c][:last]
	}
	return out
}

// pick draws a cluster with rows left.
func pick(of [][]row, shares []float64, random *rand.Rand) (c int) {
	left := 0.0
	for c, rows := range of {
		if len(rows) > 0 {
			left += shares[c]
		}
	}
	at := random.Float64() * left
	for i, rows := range of {
		if len(rows) == 0 {
			continue
		}
		c = i
		if at -= shares[i]; at < 0 {
			break
		}
	}
	return c
}

// clustered returns the rows by cluster; clusters are computed in standardised columns.
func clustered(normal []row, random *rand.Rand) [][]row {
	x := matrix(normal)
	scaling, _, err := rows.Own(rows.InMemory(x))
	if err != nil {
		panic(err) // files contain only finite numbers, see row
	}
	x = scaling.Apply(x)
	centres := gmm.KMeans(x, min(mixed, len(normal)), random)
	k, _ := centres.Dims()
	out := make([][]row, k)
	for i, r := range normal {
		best, nearest := 0, -1.0
		for c := range k {
			var d float64
			for j, v := range centres.RawRowView(c) {
				by := x.At(i, j) - v
				d += float64(by * by)
			}
			if nearest < 0 || d < nearest {
				best, nearest = c, d
			}
		}
		out[best] = append(out[best], r)
	}
	return out
}

func matrix(of []row) *mat.Dense {
	x := mat.NewDense(len(of), len(of[0].x), nil)
	for i, r := range of {
		x.SetRow(i, r.x)
	}
	return x
}

// first returns the participants with at most size training rows each; 0 means all.
func first(all []hand, size int) []hand {
	out := slices.Clone(all)
	for i, h := range out {
		if size > 0 {
			out[i].train = h.train[:min(size, len(h.train))]
		}
	}
	return out
}
