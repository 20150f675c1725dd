package membership

import "fmt"

// A ConfigError reports that a field of Config has a value that no node can have.
type ConfigError struct{ Field, Got, Want string }

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s: want %s, got %s", e.Field, e.Want, e.Got)
}
