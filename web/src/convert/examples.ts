// What the page is, in one sentence, and six conversions to begin with.
import { h } from "../dom";

interface Example { label: string; why: string; values: Record<string, string> }

export const EXAMPLES: Example[] = [
  { label: "a tie", why: "2.5 and 3.5 are halfway between two e2m1 numbers: even wins", values: { op: "cvt.rn.satfinite.e2m1x2.f32", a: "2.5", b: "3.5" } },
  { label: "saturation", why: "999 is beyond e4m3, whose largest number is 448", values: { op: "cvt.rn.satfinite.e4m3x2.f32", a: "999", b: "-1e6" } },
  { label: "upper and lower half", why: "the first operand goes to the upper half", values: { op: "cvt.rn.bf16x2.f32", a: "1", b: "-2" } },
  { label: "stochastic rounding", why: "random bits decide, in proportion", values: { op: "cvt.rs.satfinite.e4m3x4.f32", a: "1.55", b: "-999", e: "0.013", f: "7.25", rbits: "0x9e3779b9" } },
  { label: "a block scale", why: "ue8m0 holds powers of two", values: { op: "cvt.rp.satfinite.ue8m0x2.f32", a: "0.0173", b: "448" } },
  { label: "a form that sm_80 lacks", why: "sm_80 has no FP8, and this is what computes it", values: { op: "cvt.rn.satfinite.e4m3x2.f32", a: "1.55", b: "-999", target: "sm_80" } },
];

export function intro(apply: (values: Record<string, string>) => void): HTMLElement {
  const buttons = EXAMPLES.map(({ label, why, values }) =>
    h("button", { type: "button", class: "chip", title: why, onclick: () => apply(values) }, label));
  return h("div", { class: "intro" },
    h("p", {}, "Type a PTX conversion and see the exact bits an NVIDIA GPU returns, why, and which GPUs accept it. ",
      h("span", { class: "dim" }, h("code", {}, "1.5 to e4m3"), ", ", h("code", {}, "e4m3 0x7e"), " and ", h("code", {}, "nvfp4"), " are understood, too, and so is a pasted line of PTX, or of CUDA, Python or LLVM IR with PTX in it.")),
    h("div", { class: "chips", role: "group", "aria-label": "Examples" }, h("span", { class: "dim" }, "Examples"), ...buttons));
}
