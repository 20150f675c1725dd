package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
)

// memoryFlags say how rows are held in memory, and which are not.
type memoryFlags struct {
	memory  string
	float32 bool
}

func (m *memoryFlags) add(cmd *cobra.Command) {
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringVar(&m.memory, "memory", "", "hold rows in memory if their values take at most `SIZE`, such as 512MiB or all; otherwise read the files in every pass (default "+dataset.DefaultMemory+")")
		f.BoolVar(&m.float32, "float32", false, "hold rows in memory in single precision")
	})
}

// hold enters the flags.
func (m *memoryFlags) hold(spec *dataset.Spec) (err error) {
	if spec.Memory, err = dataset.ParseMemory(m.memory); err != nil {
		return &usageError{"--memory: " + err.Error(), ""}
	}
	spec.Float32 = m.float32
	return nil
}

// A run whose rows stay in their files is to stay small: the heap is collected when it
// comes to what the network takes, and what a core reads ahead of Parquet files of 38
// columns. Left to itself it would grow to twice what is in use.
const (
	heapOfNetwork = 72 << 20
	heapOfCore    = 48 << 20
)

// collectInTime has the heap of a process that reads rows again and again collected at
// that size, and of others as often as before, unless the user has said otherwise.
func collectInTime(rows collabdict.Rows, held bool) {
	if !held && dataset.Streams(rows) && !collectorSet() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(heapOfNetwork + heapOfCore*int64(runtime.GOMAXPROCS(0)))
	}
}

// collectOften has the heap collected when it has grown by half since the last time,
// not when it has doubled. What a node holds beside a few MB are rows and vectors,
// which have no pointers in them: the collector need not look through them, so that
// it does not take longer the more there is of them.
func collectOften() {
	if !collectorSet() {
		debug.SetGCPercent(50)
	}
}

// collectorSet reports whether the user has told the collector what to do.
func collectorSet() bool { return os.Getenv("GOMEMLIMIT")+os.Getenv("GOGC") != "" }
