// A small backend with errors, for the console session of `ptxcvt audit`.

class hasSM<int version> : Predicate<"Subtarget->getSmVersion() >= " # version>;
class callSubtarget<string name> : Predicate<"Subtarget->" # name # "()">;

def CvtRN : PatLeaf<(i32 0x5)>;
def CvtRZ : PatLeaf<(i32 0x6)>;

multiclass FromPair<string type> {
  def _f32 : Instruction { let AsmString = "cvt${mode:base}." # type # ".f32 \t$dst, $a, $b;"; }
}
defm CVT_bf16x2 : FromPair<"bf16x2">;
defm CVT_e4m3x2 : FromPair<"satfinite.e4m3x2">;
defm CVT_e2m1x2 : FromPair<"e2m1x2">;

def : Pat<(int_nvvm_ff2bf16x2_rn f32:$a, f32:$b), (CVT_bf16x2_f32 $a, $b, CvtRN)>;
let Predicates = [hasSM<80>] in
  def : Pat<(int_nvvm_ff2bf16x2_rz f32:$a, f32:$b), (CVT_bf16x2_f32 $a, $b, CvtRZ)>;
let Predicates = [callSubtarget<"hasFP8">] in
  def : Pat<(int_nvvm_ff_to_e4m3x2_rn f32:$a, f32:$b), (CVT_e4m3x2_f32 $a, $b, CvtRN)>;
let Predicates = [hasSM<100>] in
  def : Pat<(int_nvvm_ff_to_e2m1x2_rn f32:$a, f32:$b), (CVT_e2m1x2_f32 $a, $b, CvtRN)>;
def : Pat<(int_nvvm_f2bf16_rn f32:$a), (CVT_bf16_f32 $a, CvtRN)>;
