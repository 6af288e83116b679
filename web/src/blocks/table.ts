// Every element before and after, for each recipe, with the scale in the first row of its block.
import { h } from "../dom";
import type { Quantized, QuantizedElement } from "../library";
import { largest, loss, size } from "./loss";

/** The rows of the table that are there at once; the others follow, so that a keystroke does not wait for them. */
const AT_ONCE = 40;

export function elementsTable(all: Quantized[], chosen: number, choose: (at: number) => void): HTMLElement {
  // A narrow window has room for two recipes without their codes and scales, which are below.
  const brief = all.length > 1 && matchMedia("(max-width: 1000px)").matches;
  const names = brief ? ["back", "error"] : ["code", "back", "error"];
  const heads = all.flatMap(() => [!brief && h("th", { scope: "col", class: "scale" }, "scale"),
    ...names.map((name) => h("th", { scope: "col", class: "number" }, name)),
    !brief && h("th", { scope: "col", class: "bar-head" }, h("span", { class: "unseen" }, "size of the error"))]);
  const short = (text: string) => (brief && text.length > 8 && Number.isFinite(Number(text)) ? String(Number(Number(text).toPrecision(3))) : text);
  const error = (e: QuantizedElement) => {
    const by = loss(e);
    if (by === Infinity) return e.back;
    return by === null ? "" : Number(by.toPrecision(3)).toString();
  };
  const begins = (q: Quantized, at: number) => q.elements[at]?.block !== q.elements[at - 1]?.block;
  const differs = (at: number) => new Set(all.map((q) => q.elements[at]?.back)).size > 1;
  const most = largest(all);
  const part = (e: QuantizedElement) => Math.min(1, size(e) / most);
  const cell = (name: string, ...children: (Node | string)[]) => h("td", { class: name }, ...children);
  const row = (e: QuantizedElement, at: number) =>
    h("tr", { class: `${differs(at) ? "differs" : ""}${at > 0 && all.some((q) => begins(q, at)) ? " begins" : ""}` },
      h("th", { scope: "row", class: "number" }, h("button", { type: "button", "aria-pressed": String(at === chosen), onclick: () => choose(at) }, e.x)),
      ...all.flatMap((q) => {
        const other = q.elements[at];
        if (!other) return [...heads].slice(0, heads.length / all.length).map(() => cell(""));
        const scale = begins(q, at) ? q.scales[other.block] : undefined;
        const numbers = [cell("number", short(other.back)), cell("number", error(other))];
        if (brief) return numbers;
        return [cell("scale", ...(scale ? [h("span", { class: "dim" }, scale.bits), ` ${scale.value}`] : [])),
          cell("number dim", other.code), ...numbers,
          h("td", { class: "bar-cell" }, h("span", { class: "bar-fill", style: `--part:${part(other)}` }))];
      }));
  const elements = all[0]?.elements ?? [];
  const body = h("tbody", {});
  let drawn = 0;
  const draw = (to: number) => {
    body.append(...elements.slice(drawn, to).map((e, at) => row(e, drawn + at)));
    drawn = to;
  };
  const rest = () => {
    if (!body.isConnected || drawn >= elements.length) return;
    draw(drawn + AT_ONCE);
    setTimeout(rest);
  };
  draw(Math.max(AT_ONCE, chosen + AT_ONCE));
  setTimeout(rest, 300);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Elements" }, h("table", { class: `elements-table mono${brief ? " brief" : ""}` },
    h("thead", {},
      h("tr", {}, h("td", {}), ...all.map((q) => h("th", { scope: "colgroup", colspan: brief ? 2 : 5 }, q.recipe.name))),
      h("tr", {}, h("th", { scope: "col", class: "number" }, "x"), ...heads)),
    body));
}
