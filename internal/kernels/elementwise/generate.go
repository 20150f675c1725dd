package elementwise

//go:generate go -C ../asm run ./elementwise -out ../elementwise/assembly_amd64.s -stubs ../elementwise/assembly_amd64.go -pkg elementwise
