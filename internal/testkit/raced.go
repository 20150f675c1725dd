//go:build race

package race

// On is true under the race detector.
const On = true
