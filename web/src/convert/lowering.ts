// What computes the form on a target that lacks it.
import { copyButton, counted, fill, h } from "../dom";
import type { Conversion } from "../library";

export function showLowering(root: HTMLElement, conversion: Conversion): void {
  const { lowering } = conversion;
  root.hidden = !lowering;
  if (!lowering) return;
  const count = counted(lowering.instructions, "instruction");
  fill(root,
    h("h2", {}, `On ${lowering.target}: ${lowering.proven ? "the same bits in " : ""}${count}${lowering.proven ? "" : " for it"}`),
    h("p", {}, h("span", { class: lowering.proven ? "proven" : "open" }, lowering.proven ? "proven" : "tested"), ` ${lowering.proof}.`),
    h("div", { class: "tabs right" }, copyButton("copy", () => lowering.text)),
    h("pre", { tabindex: "0", "aria-label": "Sequence" }, lowering.text),
    h("p", { class: "dim" }, lowering.proven ? "Made and proven by:" : "Make it and compare it with the form:"),
    h("pre", { tabindex: "0", "aria-label": "Commands" }, lowering.commands));
}
