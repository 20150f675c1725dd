package cli

import (
	"context"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// newSlog returns a logger for libraries, which use log/slog. Its records are written to the program's
// log, which uses hclog.
func newSlog(log hclog.Logger) *slog.Logger { return slog.New(hclogHandler{log: log}) }

// hclogHandler writes records to an hclog logger. It passes values on unchanged, so that lines look
// as if they were logged directly.
type hclogHandler struct {
	log    hclog.Logger
	prefix string // name of the open group, before the names of its attributes
}

func (h hclogHandler) Enabled(_ context.Context, level slog.Level) bool {
	return h.log.GetLevel() <= levelOf(level)
}

func levelOf(level slog.Level) hclog.Level {
	switch {
	case level < slog.LevelDebug:
		return hclog.Trace
	case level < slog.LevelInfo:
		return hclog.Debug
	case level < slog.LevelWarn:
		return hclog.Info
	case level < slog.LevelError:
		return hclog.Warn
	}
	return hclog.Error
}

func (h hclogHandler) Handle(_ context.Context, r slog.Record) error {
	var args []any
	r.Attrs(func(a slog.Attr) bool {
		args = appendAttr(args, h.prefix, a)
		return true
	})
	h.log.Log(levelOf(r.Level), r.Message, args...)
	return nil
}

func (h hclogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var args []any
	for _, a := range attrs {
		args = appendAttr(args, h.prefix, a)
	}
	h.log = h.log.With(args...)
	return h
}

func (h hclogHandler) WithGroup(name string) slog.Handler {
	if name != "" {
		h.prefix += name + "."
	}
	return h
}

// appendAttr appends the name and value of an attribute. Attributes of a group have the group's
// name in front.
func appendAttr(args []any, prefix string, a slog.Attr) []any {
	v := a.Value.Resolve()
	if v.Kind() != slog.KindGroup {
		if a.Equal(slog.Attr{}) {
			return args
		}
		return append(args, prefix+a.Key, v.Any())
	}
	if a.Key != "" {
		prefix += a.Key + "."
	}
	for _, member := range v.Group() {
		args = appendAttr(args, prefix, member)
	}
	return args
}
