package main

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

func (a *app) version() *cobra.Command {
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version of the program, its protocol and its files", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version  string `json:"version"`
				Revision string `json:"revision,omitempty"`
				Protocol int    `json:"protocol"`
				Model    int    `json:"model"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
				Kernels  string `json:"kernels"`
			}{release, revision(), wire.Version, model.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, string(cpu.Active())}
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
