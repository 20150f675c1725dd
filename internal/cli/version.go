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
	Revision string `json:"revision,omitempty"` // revision of the source, if the build knows it
	Modified bool   `json:"modified,omitempty"` // the source differs from that revision
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
			v := versions{Version: release, Protocol: wire.Version, Model: model.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernels: string(cpu.Active())}
			if info, ok := debug.ReadBuildInfo(); ok {
				v.built(info.Settings)
			}
			return a.print(v, v.text)
		},
	}
	a.addJSON(cmd)
	return cmd
}

// built takes the revision from the settings of a build.
func (v *versions) built(settings []debug.BuildSetting) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
}

func (v versions) text(w io.Writer) {
	revision := ""
	if v.Revision != "" {
		revision = fmt.Sprintf(" (revision %.12s", v.Revision)
		if v.Modified {
			revision += ", modified"
		}
		revision += ")"
	}
	fmt.Fprintf(w, "collabdict %s%s, protocol %d, model files %d, %s %s, kernels %s\n", v.Version, revision, v.Protocol, v.Model, v.Go, v.Platform, v.Kernels)
}
