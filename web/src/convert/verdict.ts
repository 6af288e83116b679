// Whether the opcode is legal, what is wrong with it, and buttons that insert a legal form.
import { h, prose } from "../dom";
import type { Conversion } from "../library";
import { addressOf } from "../state";

/** `wrong` is what is wrong with the target and the version. */
export function verdict(conversion: Conversion, wrong: string, apply: (opcode: string) => void): Node[] {
  if (wrong && conversion.legal) return [h("p", { class: "bad" }, "Not judged: ", ...prose(wrong), ".")];
  if (conversion.legal) {
    const text = conversion.verdict ?? "legal on some GPUs: see below";
    const known = conversion.announced ? "Known from the manual only" : text.replace("l", "L");
    return [h("p", { class: "good" }, h("span", { class: "mark" }, "✓ "), `${known}. `, h("code", { class: "dim" }, `${conversion.opcode.split(".")[0]} ${conversion.syntax}`))];
  }
  const lines = conversion.problems.map(({ code, message }) =>
    h("p", { class: "bad" }, h("a", { href: addressOf("ptx", { code }), class: "code" }, code), " ", ...prose(message)),
  );
  // The buttons say which forms to write.
  if (conversion.help && !(conversion.nearest.length > 0 && conversion.help.startsWith("write "))) lines.at(-1)?.append(h("span", { class: "help" }, " — ", ...prose(conversion.help)));
  const fixes = conversion.nearest.map((form) => h("button", { type: "button", class: "fix", onclick: () => apply(form) }, form));
  return fixes.length ? [...lines, h("p", { class: "fixes" }, h("span", { class: "dim" }, "write "), ...fixes)] : lines;
}
