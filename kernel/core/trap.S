// Into the kernel, out of it, and from one kernel stack to another.

.text

// One entry for each vector: pushes an error code where the processor pushed none, and its number.
.altmacro
.macro ENTRY_POINT number
Entry\number:
  .if (\number != 8) && (\number != 17) && ((\number < 10) || (\number > 14))
  pushl $0
  .endif
  pushl $\number
  jmp TrapEntry
.endm
.macro ENTRY_ADDRESS number
  .long Entry\number
.endm

.set vector, 0
.rept 65
  ENTRY_POINT %vector
  .set vector, vector + 1
.endr

TrapEntry:
  pushl %ds
  pushl %es
  pushl %fs
  pushl %gs
  pushal
  cld                  // User code may have left it set.
  movw $0x10, %ax      // kKernelData
  movw %ax, %ds
  movw %ax, %es
  pushl %esp
  call Trap
  addl $4, %esp

// A new process begins here as well, with a frame on its kernel stack.
.globl TrapReturn
TrapReturn:
  popal
  popl %gs
  popl %fs
  popl %es
  popl %ds
  addl $8, %esp        // Vector and error code.
  iret

// void SwitchContext(Context** save, Context* load): pushes the registers that a function must
// preserve, changes stacks, and pops those of the other side.
.globl SwitchContext
SwitchContext:
  movl 4(%esp), %eax
  movl 8(%esp), %edx
  pushl %ebp
  pushl %ebx
  pushl %esi
  pushl %edi
  movl %esp, (%eax)
  movl %edx, %esp
  popl %edi
  popl %esi
  popl %ebx
  popl %ebp
  ret

.section .rodata
.globl TrapEntries
TrapEntries:
.set vector, 0
.rept 65
  ENTRY_ADDRESS %vector
  .set vector, vector + 1
.endr

.section .note.GNU-stack, "", @progbits
