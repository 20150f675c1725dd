package elementwise

//go:generate go -C asm run . -out ../assembly_amd64.s -stubs ../assembly_amd64.go -pkg elementwise
