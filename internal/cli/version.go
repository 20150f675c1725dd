package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/model"
)

// release is the version of the program; CHANGELOG.md describes it.
const release = "0.1.0"

// versions are those of the program, its protocol and its files.
type versions struct {
	Version  string `json:"version"`            // release of the program
	Revision string `json:"revision,omitempty"` // revision of the source
	Protocol int    `json:"protocol"`           // members with another version of the protocol are refused
	Model    int    `json:"model"`              // version of the format of model files
	Go       string `json:"go"`                 // compiler
	Platform string `json:"platform"`           // operating system and processor
	Kernels  string `json:"kernels"`            // vector instructions: avx512, avx2 or portable
}

func (a *app) version() *cobra.Command {
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version of the program, its protocol and its files", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versions{release, revision(), wire.Version, model.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, string(cpu.Active())}
			return a.print(v, func(w io.Writer) {
				fmt.Fprintf(w, "collabdict %s, protocol %d, model files %d, %s %s, kernels %s\n", v.Version, v.Protocol, v.Model, v.Go, v.Platform, v.Kernels)
			})
		},
	}
	a.addJSON(cmd)
	return cmd
}

func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
