// The first instructions of every processor, up to the call of a C++ function.

#define KERNEL_BASE 0x80000000
#define MAX_CPUS 4
#define AP_BASE 0x8000  // Where StartOtherCpus() copies the code from ApStart to ApEnd.

.section .multiboot, "a"
.align 4
// Magic number; flags (modules on page boundaries, tell the memory size); checksum.
.long 0x1BADB002, 0x00000003, -(0x1BADB002 + 0x00000003)

// Turns paging on: 4 MB pages allowed, the kernel's directory, read-only pages respected by the
// kernel too (WP), floating point forbidden (EM: the kernel does not save its registers).
.macro ENABLE_PAGING
  movl %cr4, %eax
  orl $0x10, %eax
  movl %eax, %cr4
  movl $(KernelDirectory - KERNEL_BASE), %eax
  movl %eax, %cr3
  movl %cr0, %eax
  orl $0x80010004, %eax
  movl %eax, %cr0
.endm

.text
.code32
.globl Start
Start:
  ENABLE_PAGING
  movl $1f, %eax
  jmp *%eax
1:
  movl $(BootStacks + 4096), %esp
  xorl %ebp, %ebp
  addl $KERNEL_BASE, %ebx  // The multiboot information, by its address in the kernel's half.
  pushl %ebx
  call KernelMain

// The other processors start here in real mode, from a copy at AP_BASE.
.globl ApStart, ApEnd
.code16
ApStart:
  cli
  xorw %ax, %ax
  movw %ax, %ds
  lgdtl AP_BASE + (ApGdtPointer - ApStart)
  movl %cr0, %eax
  orl $1, %eax
  movl %eax, %cr0
  ljmpl $0x08, $(AP_BASE + (ApProtected - ApStart))
.code32
ApProtected:
  movw $0x10, %ax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
  ENABLE_PAGING
  movl $ApHigh, %eax
  jmp *%eax
.align 8
ApGdt:
  .quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff
ApGdtPointer:
  .word ApGdtPointer - ApGdt - 1
  .long AP_BASE + (ApGdt - ApStart)
ApEnd:

// Each takes a number, and with it a stack; those beyond MAX_CPUS stay out of the way.
ApHigh:
  movl $1, %eax
  lock xaddl %eax, NextCpuIndex
  cmpl $MAX_CPUS, %eax
  jae 2f
  movl %eax, %ecx
  incl %ecx
  shll $12, %ecx
  leal BootStacks(%ecx), %esp
  xorl %ebp, %ebp
  pushl %eax
  call ApMain
2:
  cli
  hlt
  jmp 2b

.data
.globl NextCpuIndex
NextCpuIndex:
  .long 1

// The page directory of the kernel alone, and the model of the upper half of every other: 4 MB
// pages (flags: present, writable, large). The first entry maps low memory to itself while
// processors start, and is cleared afterwards.
.globl KernelDirectory
.align 4096
KernelDirectory:
  .long 0x83
  .fill 511, 4, 0
  .set frame, 0
  .rept 64                        // 2 GB: the first 256 MB of physical memory.
  .long (frame << 22) | 0x83
  .set frame, frame + 1
  .endr
  .fill 1019 - 512 - 64, 4, 0
  .long 0xfec00000 | 0x9b         // Device registers, uncached; the local APIC is at 0xfee00000.
  .fill 4, 4, 0

.bss
.align 4096
BootStacks:
  .skip 4096 * MAX_CPUS

.section .note.GNU-stack, "", @progbits
