package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draws returns the scores of n anomalies and of n normal rows by two scorers, which differ from each
// other by noise, and by gains in the scores of anomalies.
func draws(random *rand.Rand, n int, gains [2]float64) *Paired {
	p := &Paired{AnomalyGroups: Groups(n, n), NormalGroups: Groups(n, n)}
	for range n {
		anomaly, normal := random.NormFloat64(), random.NormFloat64()
		for k := range 2 {
			p.Anomalies[k] = append(p.Anomalies[k], anomaly+gains[k]+random.NormFloat64()/2)
			p.Normals[k] = append(p.Normals[k], normal+random.NormFloat64()/2)
		}
	}
	return p
}

// The interval of a difference holds the true one in about 95 of 100 cases, and areas are those of
// ROCAUC.
func TestPairedAreas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 400
	outside := 0
	for range trials {
		p := draws(random, 60, [2]float64{1, 1})
		areas, half, ok := p.AUC()
		if !ok || !(half > 0) {
			t.Fatalf("half-width %g, %t", half, ok)
		}
		if math.Abs(areas[0]-areas[1]) > half {
			outside++
		}
		labels := append(slices.Repeat([]float64{1}, 60), slices.Repeat([]float64{0}, 60)...)
		for k := range 2 {
			if want, _ := ROCAUC(slices.Concat(p.Anomalies[k], p.Normals[k]), labels); math.Abs(areas[k]-want) > 1e-12 {
				t.Fatalf("area %g, want %g", areas[k], want)
			}
		}
	}
	if outside < trials/100 || outside > trials/10 {
		t.Errorf("%d of %d intervals of 95 %% do not hold a difference of 0", outside, trials)
	}
	if areas, half, _ := draws(random, 400, [2]float64{1.5, 0.5}).AUC(); !(areas[0]-areas[1] > half) {
		t.Errorf("areas %g ± %g", areas, half)
	}
}

// Copies of a row are no further evidence.
func TestGroupsCountOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, copies = 30, 5
	p := draws(random, n, [2]float64{1, 0.5})
	more := &Paired{AnomalyGroups: Groups(n*copies, n), NormalGroups: Groups(n*copies, n)}
	for k := range 2 {
		for i := range n {
			more.Anomalies[k] = append(more.Anomalies[k], slices.Repeat(p.Anomalies[k][i:i+1], copies)...)
			more.Normals[k] = append(more.Normals[k], slices.Repeat(p.Normals[k][i:i+1], copies)...)
		}
	}
	areas, half, _ := p.AUC()
	again, same, _ := more.AUC()
	if math.Abs(areas[0]-again[0]) > 1e-12 || math.Abs(half-same) > 1e-12 {
		t.Errorf("areas %g ± %g, of copies %g ± %g", areas, half, again, same)
	}
}

func TestFaults(t *testing.T) {
	isFault := []bool{false, true, true, false, true, false, false}
	p := Faults([]float64{1, 9, 2, 3, 4, 2, 0}, []float64{5, 1, 7, 3, 6, 2, 0}, isFault, nil)
	if !slices.Equal(p.AnomalyGroups, []int{2, 1}) || !slices.Equal(p.Anomalies[0], []float64{9, 2, 4}) || !slices.Equal(p.Normals[1], []float64{5, 3, 2, 0}) {
		t.Errorf("%+v", p)
	}
	if got := p.Found(0.01); got != [2]int{2, 2} {
		t.Errorf("found %v", got)
	}
	if got := p.Found(0.25); got != [2]int{2, 2} {
		t.Errorf("found %v, one false alarm in four", got)
	}
	areas, half, ok := Faults([]float64{1, 2, 3}, []float64{3, 3, 1}, []bool{false, true, true}, nil).AUC()
	if ok || areas != [2]float64{1, 0.25} || !math.IsNaN(half) {
		t.Errorf("of one fault: areas %g ± %g, %t", areas, half, ok)
	}
	none := Faults([]float64{1, 2}, []float64{1, 2}, []bool{true, true}, nil)
	if areas, _, ok := none.AUC(); ok || !math.IsNaN(areas[0]) || none.Found(0.01) != [2]int{} {
		t.Errorf("without normal rows: areas %g, found %v", areas, none.Found(0.01))
	}
}

// Rows that are left out do not count, and do not join the faults around them.
func TestFaultsWithoutSomeRows(t *testing.T) {
	p := Faults([]float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}, []bool{true, false, true, true, false}, []bool{false, true, false, false, false})
	if !slices.Equal(p.AnomalyGroups, []int{1, 2}) || !slices.Equal(p.Anomalies[0], []float64{1, 3, 4}) || !slices.Equal(p.Normals[1], []float64{1}) {
		t.Errorf("%+v", p)
	}
}

// The difference of normal rows is that of their means, and one group shows nothing beyond chance.
func TestNormalDifference(t *testing.T) {
	p := &Paired{Normals: [2][]float64{{1, 0, 1, 0}, {0, 0, 0, 0}}, NormalGroups: []int{2, 2}}
	if mean, half, ok := p.NormalDifference(); mean != 0.5 || half != 0 || !ok {
		t.Errorf("groups alike: %g ± %g, %t", mean, half, ok)
	}
	p.Normals[0] = []float64{1, 1, 0, 0}
	if mean, half, ok := p.NormalDifference(); mean != 0.5 || !(half > 0.5) || !ok {
		t.Errorf("groups that differ: %g ± %g, %t", mean, half, ok)
	}
	p.NormalGroups = []int{4}
	if _, _, ok := p.NormalDifference(); ok {
		t.Error("one group shows a difference")
	}
}
