//go:build noasm

package cpu

const withAssembly = false
