// The conversion as text to copy.
import { copyButton, copyLater, fill, h } from "../dom";
import { snippets, type Conversion } from "../library";
import { link, set, value } from "../state";
import { KINDS } from "./kinds";

export function showCopies(root: HTMLElement, conversion: Conversion, machine: readonly [string, string]): void {
  const all = snippets(conversion.opcode, conversion.operands.map((operand) => operand.bits ?? ""), ...machine);
  const chosen = KINDS.find(([, key]) => key === value("as")) ?? KINDS[0];
  if (!chosen) return;
  const text = String(all[chosen[1]]).trimEnd();
  const tabs = KINDS.map(([label, key]) =>
    h("button", {
      type: "button", "aria-pressed": String(key === chosen[1]), onclick: () => {
        set({ as: key });
        showCopies(root, conversion, machine);
        root.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
      },
    }, label));
  fill(root, h("h2", {}, "Copy as"),
    h("div", { class: "tabs" }, h("div", { class: "tabs", role: "group", "aria-label": "Copy as" }, ...tabs),
      h("div", { class: "tabs right" }, copyButton("copy", () => text), copyLater("copy link", link))),
    h("pre", { tabindex: "0", "aria-label": chosen[0] }, text));
}
