//go:build !noasm

package cpu

const withAssembly = true
