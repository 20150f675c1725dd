package together

// family is the sets from one source. A method that suits one set of a family is likely to suit
// the others. So families are used for tuning or set aside as a whole, and each counts once in
// a mean.
type family struct {
	name string
	sets []*set
}

// The families were split by source alone, before any figure was computed. The program's
// defaults are chosen by the figures of tuning. A figure that has helped to choose is too good,
// and nothing was chosen by those of aside: they show the value of the defaults. So aside is
// computed to report, never to decide, and a set does not change sides.
//
// The set embeddings/cifar3-resnet18 is in neither: its 512 columns require more rows than a
// participant has in this study.

// tuning returns the families used to choose defaults.
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

// aside returns the families that are not used to choose anything.
func aside() []family {
	return []family{
		{"smd-2", []*set{servers("smd-2", "2-1", "2-2", "2-3", "2-4", "2-5", "2-7", "2-8")}},
		{"shuttle", []*set{labelled("adbench/shuttle")}},
		{"thyroid", []*set{labelled("adbench/thyroid"), labelled("adbench/annthyroid")}},
		{"fashion", []*set{classes("embeddings/fashion-mnist-vae64", "0")}},
		{"letter", []*set{classes("uci/letter", "A")}},
	}
}

// set describes rows from one source, and their anomalies.
type set struct {
	name  string
	files []string // files in the data folder
	// anomaly is the class that stands for faults. If classes are not faults it is the rarest,
	// or the first in order if they are about equally frequent.
	anomaly string
	// kind is how rows are divided among participants.
	kind kind
	// Features are the columns before the label from skip on, at most width columns.
	skip, width int
}

// kind is how a set is divided among participants.
type kind int

const (
	dealt    kind = iota // no participants given: rows are dealt
	machines             // one file per participant, in time order
	regions              // by the column wilderness
	fleets               // twenty engines with consecutive numbers each
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

// areas returns the wilderness areas of covertype. Its rarest class occurs in only one of them.
// So its rows are dealt evenly, like all anomalies of sets without their own split.
func areas(name string) *set {
	s := classes(name, "4")
	s.kind, s.width = regions, 10 // the other columns are indicators of area and soil
	return s
}

func engines(name string) *set {
	s := classes(name, "")
	s.kind, s.skip = fleets, 1 // leaves out the cycle, which would show the age without a sensor
	return s
}
