package mixture

//go:generate go -C ../asm run ./mixture -out ../mixture/assembly_amd64.s -stubs ../mixture/assembly_amd64.go -pkg mixture
