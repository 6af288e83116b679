// The conversions of a text, and the lowest target that accepts them.
import { fill, h, prose } from "../dom";
import type { Statistics } from "../library";
import { addressOf } from "../state";

export function showContents(root: HTMLElement, found: Statistics): void {
  if (found.error) return fill(root);
  const sentence = (words: string) => `${words[0]!.toUpperCase()}${words.slice(1)}.`;
  fill(root, h("h2", {}, "Contents"), h("p", {}, sentence(found.contents)),
    found.forms.length > 0 && h("table", { class: "where" }, h("tbody", {}, ...found.forms.map(({ form, count, line }) =>
      h("tr", {}, h("th", { scope: "row" }, String(count)), h("td", { class: "mono" }, h("a", { href: addressOf("convert", { op: form }) }, form)), h("td", { class: "dim" }, `line ${line}`))))),
    ...found.targets.map((words) => h("p", { class: "dim" }, ...prose(sentence(words)))),
    ...found.left_out.map((words) => h("p", { class: "dim" }, ...prose(sentence(words)))));
}
