// Block quantisation: numbers quantised with one or two recipes, step by step.
import { fill, h, menu } from "./dom";
import { quantize, tables, type Quantized, type QuantizedElement, type Step } from "./library";
import { set, value } from "./state";

const NUMBERS = "7.9 -0.37 0.58 -1.11 1.16 -1.85 1.74 -2.59 0.011 -4.44 0 0.29 -0.74 3.19 2.61 -0.003";

export function quantizeView(root: HTMLElement): void {
  const names = tables().recipes.map((r) => r.name);
  const text = h("textarea", { "aria-label": "Numbers", spellcheck: "false", rows: "3" });
  text.value = value("x", NUMBERS);
  const shown = h("div");

  function update(): void {
    const chosen = [value("r", "mx-rceil/e4m3"), value("s", "mx-floor/e4m3")].filter((name) => names.includes(name));
    const at = Number(value("at", "1")) || 0;
    const all = chosen.map((name) => quantize(name, text.value, at));
    const error = all.find((q) => q.error);
    if (error) {
      fill(shown, h("p", { class: "bad", role: "alert" }, error.error));
      return;
    }
    const last = (all[0]?.elements.length ?? 1) - 1;
    const scrolled = shown.querySelector(".scroll")?.scrollTop ?? 0;
    fill(shown, elements(all, Math.min(at, last), (to) => {
      set({ at: String(to) });
      update();
      shown.querySelector<HTMLElement>("[aria-pressed=true]")?.focus({ preventScroll: true });
    }), h("div", { class: "pair" }, ...all.map((q) => steps(q, Math.min(at, last)))));
    shown.querySelector(".scroll")?.scrollTo(0, scrolled);
  }
  const choose = (label: string, key: string, otherwise: string, none: boolean) =>
    menu(label, [...(none ? [["none", "none"] as [string, string]] : []), ...names], value(key, otherwise), (to) => {
      set({ [key]: to });
      update();
    });
  text.addEventListener("input", () => {
    set({ x: text.value });
    update();
  });
  fill(root, h("h1", { class: "unseen" }, "Blocks"),
    h("div", { class: "bar" }, choose("Recipe", "r", "mx-rceil/e4m3", false), choose("Compare with", "s", "mx-floor/e4m3", true)),
    h("label", { class: "numbers" }, h("span", { class: "unseen" }, "Numbers"), text), shown);
  update();
}

function row(step: Step): HTMLElement {
  return h("tr", {}, h("td", {}, step.text), h("td", { class: "dim" }, step.bits), h("td", { class: "number" }, step.value));
}

/** The lines of a recipe with their results: those of the block, then those of the chosen element. */
function steps(q: Quantized, at: number): HTMLElement {
  const element = q.elements[at];
  const lines = [q.global, ...q.tensor, q.amax, ...q.steps].filter((s): s is Step => s !== null);
  return h("section", { "aria-label": q.recipe.name },
    h("h2", {}, q.recipe.name, q.scales.length > 1 && h("span", { class: "dim" }, ` block ${q.at + 1} of ${q.scales.length}`)), h("p", { class: "dim" }, q.recipe.about),
    h("table", { class: "lines" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "line"), h("th", {}, "bits"), h("th", {}, "value"))),
      h("tbody", {}, ...lines.map(row),
        element && h("tr", { class: "rule" }, h("td", {}, `x, element ${at + 1}`), h("td", { class: "dim" }, ""), h("td", { class: "number" }, element.x)),
        ...q.element_steps.map(row),
        element && h("tr", {}, h("td", {}, q.recipe.dequantize.join("; ")), h("td", { class: "dim" }, ""), h("td", { class: "number" }, element.back)))),
    q.padded > 0 && h("p", { class: "dim" }, `Filled up with ${q.padded} zeros: a block has ${q.recipe.block.join("×")} elements.`),
    q.given > q.elements.length && h("p", { class: "dim" }, `The first ${q.elements.length} of ${q.given} numbers.`));
}

/** Every element before and after, for each recipe, with the scale in the first row of its block. */
function elements(all: Quantized[], chosen: number, choose: (at: number) => void): HTMLElement {
  const heads = all.flatMap(() => [h("th", { scope: "col", class: "scale" }, "scale"), ...["code", "back", "error"].map((name) => h("th", { scope: "col", class: "number" }, name))]);
  // Null for NaN and infinities.
  const difference = (e: QuantizedElement) => (e.x_value === null || e.back_value === null ? null : e.back_value - e.x_value);
  const error = (e: QuantizedElement) => {
    const by = difference(e);
    return by === null ? "" : Number(by.toPrecision(3)).toString();
  };
  const begins = (q: Quantized, at: number) => q.elements[at]?.block !== q.elements[at - 1]?.block;
  const differs = (at: number) => new Set(all.map((q) => q.elements[at]?.back)).size > 1;
  const largest = Math.max(...all.flatMap((q) => q.elements.map((e) => Math.abs(difference(e) ?? 0))), Number.MIN_VALUE);
  const bar = (e: QuantizedElement) => `--part:${Math.abs(difference(e) ?? 0) / largest}`;
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Elements" }, h("table", { class: "elements-table" },
    h("thead", {},
      h("tr", {}, h("td", {}), ...all.map((q) => h("th", { scope: "colgroup", colspan: "4" }, q.recipe.name))),
      h("tr", {}, h("th", { scope: "col", class: "number" }, "x"), ...heads)),
    h("tbody", {}, ...(all[0]?.elements.map((e, at) =>
      h("tr", { class: `${differs(at) ? "differs" : ""}${at > 0 && all.some((q) => begins(q, at)) ? " begins" : ""}` },
        h("th", { scope: "row", class: "number" }, h("button", { type: "button", "aria-pressed": String(at === chosen), onclick: () => choose(at) }, e.x)),
        ...all.flatMap((q) => {
          const other = q.elements[at];
          if (!other) return [h("td"), h("td"), h("td"), h("td")];
          const scale = begins(q, at) ? q.scales[other.block] : undefined;
          return [h("td", { class: "scale" }, scale && h("span", { class: "dim" }, scale.bits), scale && ` ${scale.value}`),
            h("td", { class: "number dim" }, other.code), h("td", { class: "number" }, other.back),
            h("td", { class: "number error", style: bar(other) }, error(other))];
        }))) ?? []))));
}
