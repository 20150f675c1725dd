package node

import (
	"log/slog"
	"os"

	"github.com/libp2p/go-libp2p/gologshim"
)

// QuietLibraries keeps libp2p's own log of this process from standard error, unless
// GOLOG_LOG_LEVEL asks for it. What matters to an operator is in the errors and in
// Config.Log. It is for programs; call it before the first Join.
func QuietLibraries() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
}
