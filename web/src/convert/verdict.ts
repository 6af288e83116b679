// Whether the opcode is legal, what is wrong with it, and buttons that insert a legal form.
import { h, prose } from "../dom";
import type { Conversion } from "../library";
import { addressOf } from "../state";

/** `wrong` is what is wrong with the target and the version. */
export function verdict(said: Conversion, wrong: string, apply: (opcode: string) => void): Node[] {
  if (wrong && said.legal) return [h("p", { class: "bad" }, "Not judged: ", ...prose(wrong), ".")];
  if (said.legal) {
    const text = said.verdict ?? "legal on some GPUs: see below";
    const known = said.announced ? "Known from the manual only" : text.replace("l", "L");
    return [h("p", { class: "good" }, h("span", { class: "mark" }, "✓ "), `${known}. `, h("code", { class: "dim" }, `${said.opcode.split(".")[0]} ${said.syntax}`))];
  }
  const lines = said.problems.map(({ code, message }) =>
    h("p", { class: "bad" }, h("a", { href: addressOf("ptx", { code }), class: "code" }, code), " ", ...prose(message)),
  );
  if (said.help) lines.at(-1)?.append(h("span", { class: "help" }, " — ", ...prose(said.help)));
  const fixes = said.nearest.map((form) => h("button", { type: "button", class: "fix", onclick: () => apply(form) }, form));
  return fixes.length ? [...lines, h("p", { class: "fixes" }, h("span", { class: "dim" }, "write "), ...fixes)] : lines;
}
