#include "textflag.h"

// ROUND is the ChaCha quarter-round on A, B, C and D, in eight blocks at once. T is
// room.
#define ROUND(A, B, C, D, T) \
	VPADDD B, A, A; VPXOR A, D, D; VPSHUFB rotate16<>(SB), D, D; \
	VPADDD D, C, C; VPXOR C, B, B; VPSLLD $12, B, T; VPSRLD $20, B, B; VPXOR T, B, B; \
	VPADDD B, A, A; VPXOR A, D, D; VPSHUFB rotate8<>(SB), D, D; \
	VPADDD D, C, C; VPXOR C, B, B; VPSLLD $7, B, T; VPSRLD $25, B, B; VPXOR T, B, B

// STORE writes a row of eight blocks: four of them to the first 256 bytes at DI, the
// others to the next, as the generator's words stand in four blocks side by side.
#define STORE(row, Y, X) \
	VMOVDQU X, (16*row)(DI); \
	VEXTRACTI128 $1, Y, (256+16*row)(DI)

// ADDKEY adds word i of the key to a row. T is room.
#define ADDKEY(i, Y, T) \
	VPBROADCASTD (4*i)(SI), T; \
	VPADDD T, Y, Y

// func expand(key *[4]uint64, words *[128]uint64)
TEXT ·expand(SB), NOSPLIT, $64-16
	MOVQ key+0(FP), SI
	MOVQ words+8(FP), DI
	VMOVDQU counters<>(SB), Y12
	MOVQ $2, CX

eight:
	VPBROADCASTD constants<>+0(SB), Y0
	VPBROADCASTD constants<>+4(SB), Y1
	VPBROADCASTD constants<>+8(SB), Y2
	VPBROADCASTD constants<>+12(SB), Y3
	VPBROADCASTD 0(SI), Y4
	VPBROADCASTD 4(SI), Y5
	VPBROADCASTD 8(SI), Y6
	VPBROADCASTD 12(SI), Y7
	VPBROADCASTD 16(SI), Y8
	VPBROADCASTD 20(SI), Y9
	VPBROADCASTD 24(SI), Y10
	VPBROADCASTD 28(SI), Y11
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

	// Sixteen registers hold the state. For one to be room, row 15 or row 4 is in
	// memory.
	VMOVDQU Y15, row15-32(SP)
	MOVQ $4, DX

double:
	ROUND(Y0, Y4, Y8, Y12, Y15)
	VMOVDQU Y4, row4-64(SP)
	ROUND(Y1, Y5, Y9, Y13, Y15)
	VMOVDQU row15-32(SP), Y15
	ROUND(Y2, Y6, Y10, Y14, Y4)
	ROUND(Y3, Y7, Y11, Y15, Y4)

	ROUND(Y0, Y5, Y10, Y15, Y4)
	VMOVDQU Y15, row15-32(SP)
	ROUND(Y1, Y6, Y11, Y12, Y4)
	VMOVDQU row4-64(SP), Y4
	ROUND(Y2, Y7, Y8, Y13, Y15)
	ROUND(Y3, Y4, Y9, Y14, Y15)

	DECQ DX
	JNZ double

	ADDKEY(0, Y4, Y15)
	ADDKEY(1, Y5, Y15)
	ADDKEY(2, Y6, Y15)
	ADDKEY(3, Y7, Y15)
	ADDKEY(4, Y8, Y15)
	ADDKEY(5, Y9, Y15)
	ADDKEY(6, Y10, Y15)
	ADDKEY(7, Y11, Y15)
	VMOVDQU row15-32(SP), Y15
	STORE(0, Y0, X0)
	STORE(1, Y1, X1)
	STORE(2, Y2, X2)
	STORE(3, Y3, X3)
	STORE(4, Y4, X4)
	STORE(5, Y5, X5)
	STORE(6, Y6, X6)
	STORE(7, Y7, X7)
	STORE(8, Y8, X8)
	STORE(9, Y9, X9)
	STORE(10, Y10, X10)
	STORE(11, Y11, X11)
	STORE(12, Y12, X12)
	STORE(13, Y13, X13)
	STORE(14, Y14, X14)
	STORE(15, Y15, X15)

	VMOVDQU counters<>+32(SB), Y12
	ADDQ $512, DI
	DECQ CX
	JNZ eight

	VZEROUPPER
	RET

// func hasAVX2() bool
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<27 | 1<<28), CX // OSXSAVE, AVX
	CMPL CX, $(1<<27 | 1<<28)
	JNE no
	XORL CX, CX
	XGETBV
	ANDL $6, AX // XMM and YMM
	CMPL AX, $6
	JNE no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<5), BX // AVX2
	JZ no
	MOVB $1, ret+0(FP)

no:
	RET

// "expand 32-byte k"
DATA constants<>+0(SB)/8, $0x3320646e61707865
DATA constants<>+8(SB)/8, $0x6b20657479622d32
GLOBL constants<>(SB), NOPTR|RODATA, $16

DATA counters<>+0(SB)/8, $0x0000000100000000
DATA counters<>+8(SB)/8, $0x0000000300000002
DATA counters<>+16(SB)/8, $0x0000000500000004
DATA counters<>+24(SB)/8, $0x0000000700000006
DATA counters<>+32(SB)/8, $0x0000000900000008
DATA counters<>+40(SB)/8, $0x0000000b0000000a
DATA counters<>+48(SB)/8, $0x0000000d0000000c
DATA counters<>+56(SB)/8, $0x0000000f0000000e
GLOBL counters<>(SB), NOPTR|RODATA, $64

// Bytes of words that are rotated to the left by 16 and by 8 bits.
DATA rotate16<>+0(SB)/8, $0x0504070601000302
DATA rotate16<>+8(SB)/8, $0x0d0c0f0e09080b0a
DATA rotate16<>+16(SB)/8, $0x0504070601000302
DATA rotate16<>+24(SB)/8, $0x0d0c0f0e09080b0a
GLOBL rotate16<>(SB), NOPTR|RODATA, $32

DATA rotate8<>+0(SB)/8, $0x0605040702010003
DATA rotate8<>+8(SB)/8, $0x0e0d0c0f0a09080b
DATA rotate8<>+16(SB)/8, $0x0605040702010003
DATA rotate8<>+24(SB)/8, $0x0e0d0c0f0a09080b
GLOBL rotate8<>(SB), NOPTR|RODATA, $32
