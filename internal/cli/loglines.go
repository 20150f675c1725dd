package cli

import (
	"encoding/json"
	"regexp"
	"strings"
)

var stamped = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*)$`)

// unstamped converts a line of another process's log, in either format, to its form on a
// terminal.
func unstamped(line string) string {
	if m := stamped.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "[") {
		return m[1]
	}
	var object map[string]any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &object) != nil {
		return line
	}
	message, _ := object["@message"].(string)
	level, _ := object["@level"].(string)
	if module, _ := object["@module"].(string); module != "" {
		return "[" + strings.ToUpper(level) + "]  " + module + ": " + message
	}
	switch level {
	case "warn":
		return "warning: " + message
	case "error":
		return "error: " + message
	}
	return message
}
