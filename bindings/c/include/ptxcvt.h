/* ptxcvt: PTX number conversion (cvt, cvt.pack), bit for bit.
 *
 * Thread-safe; no call allocates memory, but for ptxcvt_form, ptxcvt_name and ptxcvt_judge.
 * Made by cbindgen from bindings/c/src. */

#ifndef PTXCVT_H
#define PTXCVT_H

#include <stddef.h>
#include <stdint.h>

/*
 How a call ended.
 */
typedef enum {
  /*
   Done.
   */
  PTXCVT_STATUS_OK = 0,
  /*
   Not a handle returned by ptxcvt_form.
   */
  PTXCVT_STATUS_BAD_FORM = 1,
  /*
   The form has a different number of operands.
   */
  PTXCVT_STATUS_OPERAND_COUNT = 2,
  /*
   A pointer is null, or a name, a version or the tier in PTXCVT_TIER is unknown.
   */
  PTXCVT_STATUS_BAD_ARGUMENT = 3,
  /*
   Arrays do not fit the form or each other; or the form is cvt.pack, which accepts columns only.
   */
  PTXCVT_STATUS_ARRAY_SHAPE = 4,
  /*
   Not legal: the opcode is not a form, or the target or the version lacks it.
   */
  PTXCVT_STATUS_ILLEGAL = 5,
  /*
   A defect of the library; please report it.
   */
  PTXCVT_STATUS_INTERNAL = 6,
} ptxcvt_status;

/*
 A legal form of cvt or cvt.pack. Handles are numbers: they need no release, may be copied, and are the same in
 every thread of a process. 0 is not a form.
 */
typedef uint32_t ptxcvt_form_t;

/*
 An error: its code, a sentence, and what to do. Texts end with a zero byte, and are cut if they do not fit.
 */
typedef struct {
  /*
   A code such as CVT006; empty if there is none.
   */
  char code[8];
  /*
   The problem.
   */
  char text[504];
  /*
   How to correct it; empty if unknown.
   */
  char help[512];
} ptxcvt_message;

/*
 One operand of many instructions. Elements are as wide as the operand (ptxcvt_operand_width) and little-endian, with
 any alignment.
 */
typedef struct {
  /*
   One element for each instruction; null if all instructions use value.
   */
  const void *data;
  /*
   The operand of all instructions; the seed if random is set.
   */
  uint64_t value;
  /*
   Nonzero only for rbits: instruction i uses word i of the Philox4x32-10 stream of the seed, as with
   curand_init(seed, 0, 0, &state).
   */
  uint32_t random;
} ptxcvt_column;

/*
 A version of PTX ISA; 0.0 means no version.
 */
typedef struct {
  /*
   9 of 9.1.
   */
  uint8_t major;
  /*
   1 of 9.1.
   */
  uint8_t minor;
} ptxcvt_version;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Reads an opcode such as "cvt.rn.satfinite.e4m3x2.f32" and writes its handle to form; 0 if it is not a form.
 message may be null; it says what is wrong with the opcode, or with the environment variable PTXCVT_TIER, which
 selects the kernels of all forms at the first call.

 # Safety

 opcode is a string, form points to a handle, message is null or points to a message.
 */
ptxcvt_status ptxcvt_form(const char *opcode,
                          ptxcvt_form_t *form,
                          ptxcvt_message *message);

/*
 Writes the canonical spelling, truncated if size bytes are too few; returns its full length, 0 if form is
 not a handle.

 # Safety

 name points to size bytes.
 */
size_t ptxcvt_name(ptxcvt_form_t form,
                   char *name,
                   size_t size);

/*
 The number of the form's source operands: the sources in PTX order with vectors flattened, then c, rbits
 or scale-factor; 0 if form is not a handle.
 */
uint32_t ptxcvt_operand_count(ptxcvt_form_t form);

/*
 The width of source operand n, counted from 0, in bits: 8, 16, 32 or 64; 0 if there is no such operand.
 */
uint32_t ptxcvt_operand_width(ptxcvt_form_t form,
                              uint32_t n);

/*
 The width of the form's result in bits, without the extension into a wider register; 0 if form is not a
 handle.
 */
uint32_t ptxcvt_result_width(ptxcvt_form_t form);

/*
 How many elements an instruction converts: 1, 2 or 4; 0 if form is not a handle.
 */
uint32_t ptxcvt_lanes(ptxcvt_form_t form);

/*
 Evaluates one conversion: reads count operands as bits in PTX order, and writes the result to result. Bits
 above an operand's width are ignored, as PTX ignores those of a wider register.

 # Safety

 operands points to count numbers, result to 1 number.
 */
ptxcvt_status ptxcvt_eval(ptxcvt_form_t form,
                          const uint64_t *operands,
                          size_t count,
                          uint64_t *result);

/*
 Evaluates a conversion for every thread of a warp whose bit is set in active: operand k of thread t is
 operands[32 * k + t], and its result is written to result[t]. Results of other threads are left unchanged.

 # Safety

 operands points to 32 * count numbers, result to 32 numbers. The arrays may overlap if result is operands + 32 * k
 for some k.
 */
ptxcvt_status ptxcvt_warp(ptxcvt_form_t form,
                          const uint64_t *operands,
                          size_t count,
                          uint32_t active,
                          uint64_t *result);

/*
 Runs count instructions: instruction i reads element i of each of the operand_count columns, in PTX order, and
 writes element i of result, which has elements of ptxcvt_result_width bits.

 # Safety

 columns points to operand_count columns of count elements each; result to count elements that overlap
 none of them.
 */
ptxcvt_status ptxcvt_columns(ptxcvt_form_t form,
                             const ptxcvt_column *columns,
                             size_t operand_count,
                             size_t count,
                             void *result);

/*
 Converts count elements in memory order: in a packed pair, element 2i is the lower operand and 2i + 1 the
 upper one. An FP6 element takes a byte. FP4 elements take half a byte each, the low half first, so their
 count must be even. Other counts need not be: incomplete instructions are padded with zeros. extra is
 rbits or the scale of each instruction, null for forms without one.

 # Safety

 elements points to count elements, result to as many results that do not overlap them; extra is null or
 points to a column with an element for each instruction.
 */
ptxcvt_status ptxcvt_elements(ptxcvt_form_t form,
                              const void *elements,
                              size_t count,
                              const ptxcvt_column *extra,
                              void *result);

/*
 Writes the first version at which a target such as "sm_90" accepts the form to version: 0.0 if it never does. An
 unknown target is PTXCVT_STATUS_BAD_ARGUMENT, with the reason in message, which may be null.

 # Safety

 target is a string, version points to a version, message is null or points to a message.
 */
ptxcvt_status ptxcvt_since(ptxcvt_form_t form,
                           const char *target,
                           ptxcvt_version *version,
                           ptxcvt_message *message);

/*
 Judges an opcode as the assembler would: PTXCVT_STATUS_OK if it is legal on the target at the version, otherwise
 PTXCVT_STATUS_ILLEGAL, with the reason in message, which may be null. target and isa may be null, which means any. An
 unknown target or version is PTXCVT_STATUS_BAD_ARGUMENT, with the reason in message, too. At a version that does not have
 the target, every opcode is illegal.

 # Safety

 opcode is a string, target and isa are null or strings, message is null or points to a message.
 */
ptxcvt_status ptxcvt_judge(const char *opcode,
                           const char *target,
                           const char *isa,
                           ptxcvt_message *message);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PTXCVT_H */
