package together

// family is the sets that come from one source. Sets of a family share what makes a
// method suit them, so figures of one say much about another: a family is chosen by or
// set aside as a whole, and each counts once in a mean.
type family struct {
	name string
	sets []*set
}

// The families were split before any figure was computed on either side, and by source
// alone. Defaults of the program are chosen by the figures of tuning. Those of aside say
// what the defaults are worth, since nothing was chosen by them: a figure that has helped
// to choose is too good. So aside is computed to report, never to decide, and a set does
// not change sides.
//
// There is embeddings/cifar3-resnet18 on neither side: its 512 columns take more rows than
// a participant has here.

// tuning returns the families that defaults are chosen by.
func tuning() []family {
	return []family{
		{"smd-1", []*set{servers("smd-1", "1-2", "1-3", "1-4", "1-5", "1-6", "1-7", "1-8")}},
		{"cardio", []*set{labelled("adbench/cardio")}},
		{"satimage", []*set{labelled("adbench/satimage-2")}},
		{"covertype", []*set{areas("covertype/covertype"), labelled("adbench/cover")}},
		{"abalone", []*set{classes("uci/abalone", "F")}},
		{"iris", []*set{classes("uci/iris", "Iris-setosa")}},
		{"waveform", []*set{classes("uci/waveform", "0")}},
		{"wdbc", []*set{classes("uci/wdbc", "M")}},
		{"wine", []*set{classes("uci/wine", "3")}},
		{"mnist", []*set{classes("embeddings/mnist-vae10", "0")}},
		{"cmapss", []*set{engines("cmapss/fd001")}},
	}
}

// aside returns the families that nothing is chosen by.
func aside() []family {
	return []family{
		{"smd-2", []*set{servers("smd-2", "2-1", "2-2", "2-3", "2-4", "2-5", "2-7", "2-8")}},
		{"shuttle", []*set{labelled("adbench/shuttle")}},
		{"thyroid", []*set{labelled("adbench/thyroid"), labelled("adbench/annthyroid")}},
		{"fashion", []*set{classes("embeddings/fashion-mnist-vae64", "0")}},
		{"letter", []*set{classes("uci/letter", "A")}},
	}
}

// set is rows of one source, and what tells anomalies in them.
type set struct {
	name  string
	files []string // of the data folder
	// anomaly is the class that stands for faults. Of classes that are no
	// faults it is the rarest, or the first in order where they are about as many.
	anomaly string
	// kind says how rows come to participants.
	kind kind
	// Of the columns before the label, features are those from skip on, at most width.
	skip, width int
}

// kind is how a set has participants.
type kind int

const (
	dealt    kind = iota // it says none: rows are dealt
	machines             // a file each, in the order of time
	regions              // by the column wilderness
	fleets               // twenty engines of consecutive numbers each
)

func labelled(name string) *set { return classes(name, "1") }

func classes(name, anomaly string) *set {
	return &set{name: name, files: []string{name + ".csv.gz"}, anomaly: anomaly}
}

func servers(name string, machine ...string) *set {
	s := &set{name: name, anomaly: "1", kind: machines}
	for _, m := range machine {
		s.files = append(s.files, "smd/machine-"+m+".csv.gz")
	}
	return s
}

// areas are the wilderness areas of covertype. Its rarest class grows in one of them alone, so
// these rows, like all anomalies of sets without a split of their own, are dealt evenly.
func areas(name string) *set {
	s := classes(name, "4")
	s.kind, s.width = regions, 10 // the others are indicators of area and soil
	return s
}

func engines(name string) *set {
	s := classes(name, "")
	s.kind, s.skip = fleets, 1 // the cycle, which would tell age without a sensor
	return s
}
