package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
)

// memoryFlags choose which rows are held in memory, and how.
type memoryFlags struct {
	memory  string
	float32 bool
}

func (m *memoryFlags) add(cmd *cobra.Command) {
	section(cmd, ofRows, func(f *pflag.FlagSet) {
		f.StringVar(&m.memory, "memory", "", "hold rows in memory if their values take at most `SIZE`, such as 512MiB or all; otherwise read them from disk in every pass (default "+dataset.DefaultMemory+")")
		f.BoolVar(&m.float32, "float32", false, "hold rows in memory in single precision")
	})
	forExperts(cmd.Flags(), "float32")
}

// hold sets the fields of spec.
func (m *memoryFlags) hold(spec *dataset.Spec) (err error) {
	if spec.Memory, err = dataset.ParseMemory(m.memory); err != nil {
		return &flagError{"memory", err.Error(), ""}
	}
	spec.Float32 = m.float32
	return nil
}

// A run whose rows stay in their files should stay small. So the heap is collected when it
// reaches what the network needs plus what a core reads ahead of Parquet files of 38 columns.
// Otherwise it would grow to twice what is in use.
const (
	heapOfNetwork = 72 << 20
	heapOfCore    = 48 << 20
)

// collectInTime makes a process that reads rows again and again collect its heap at that size,
// unless the user has configured the collector.
func collectInTime(rows collabdict.Rows, held bool) {
	if !held && dataset.Streams(rows) && !collectorSet() {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(heapOfNetwork + heapOfCore*int64(runtime.GOMAXPROCS(0)))
	}
}

// collectOften makes the collector run when the heap has grown by half, not when it has
// doubled. Beside a few MB, a node holds rows and vectors. They contain no pointers, so the
// collector skips them, and more of them do not slow it down.
func collectOften() {
	if !collectorSet() {
		debug.SetGCPercent(50)
	}
}

// grownOfMany is the growth of the heap, in percent, after which the collector runs in a simulation
// of many participants. All of them then need a third more memory than is in use. Below roomOfMany
// bytes per participant it hardly runs: nearly as much is in use in the largest sums, and it would run
// often while less is. But it runs when the heap has grown by mostGrown. It counts what is allocated while
// it runs as in use, so the heap may be far beyond the room before its growth is set again.
const (
	grownOfMany = 30
	mostGrown   = 100
	roomOfMany  = 200 << 10
)

// collectForMany makes the collector run when the heap has outgrown the room, and has grown by
// grownOfMany since it ran last.
func collectForMany(room uint64) {
	if !collectorSet() {
		collectFrom(room)
	}
}

// collectFrom sets when the collector runs next, and is called again when it has run.
func collectFrom(room uint64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(growth(live[0].Value.Uint64(), room))
	runtime.AddCleanup(&struct{ unused *int }{}, collectFrom, room)
}

// growth returns the growth in percent by which the heap in use may reach the room, at least grownOfMany
// and at most mostGrown.
func growth(live, room uint64) int {
	return max(grownOfMany, min(mostGrown, int(100*room/max(live, 1<<20))-100))
}

// collectorSet reports whether the user has configured the collector.
func collectorSet() bool { return os.Getenv("GOMEMLIMIT")+os.Getenv("GOGC") != "" }
