package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/spf13/cobra"
)

// memoryFlags say how rows are held in memory, and which are not.
type memoryFlags struct {
	memory  string
	float32 bool
}

func (m *memoryFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.memory, "memory", "", "hold rows in memory if their values take at most `SIZE`, as 512MiB or all; else read the files again and again (default "+dataset.DefaultMemory+")")
	f.BoolVar(&m.float32, "float32", false, "hold rows in memory in single precision")
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

func collectInTime(rows dataset.Rows) {
	if dataset.Streams(rows) && os.Getenv("GOMEMLIMIT")+os.Getenv("GOGC") == "" { // the user has not said otherwise
		debug.SetMemoryLimit(heapOfNetwork + heapOfCore*int64(runtime.GOMAXPROCS(0)))
	}
}
