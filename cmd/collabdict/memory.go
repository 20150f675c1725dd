package main

import (
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
