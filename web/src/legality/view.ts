// A table of forms and targets with the first ISA version in each cell, grouped by types; one or two targets are pinned.
import { afterPaint, fill, h, hold, Menu, prose, type View } from "../dom";
import { legality, machineError, nearest } from "../library";
import { set, value } from "../state";
import { filter, type Form } from "./filter";
import { Matrix } from "./matrix";

export function legalityView(): View {
  const { forms } = legality();
  const matrix = new Matrix();
  const count = h("p", { class: "dim", role: "status" });
  const none = h("div", { class: "none", hidden: true });
  const problem = h("p", { class: "bad", role: "alert" });
  const key = h("div", { class: "legend keys" });
  const text = h("input", { type: "search", placeholder: "satfinite e2m1x2 -relu", "aria-label": "Filter", spellcheck: "false" });
  const changed = (name: string) => (to: string) => {
    set({ [name]: to });
    update();
  };
  const later = afterPaint();
  text.addEventListener("input", () => {
    set({ q: text.value }, "typing");
    later(update);
  });
  const to = new Menu("to", changed("to"));
  const from = new Menu("from", changed("from"));
  const part = new Menu("with", changed("with"));
  const versus = new Menu("Compare with", changed("versus"));
  const tick = (name: string) => {
    const box = h("input", { type: "checkbox", onchange: () => changed(name)(box.checked ? "1" : "") });
    const label = h("span", {});
    return { box, label, element: h("label", { class: "menu" }, box, label) };
  };
  const [here, all, differing, folded] = [tick("here"), tick("all"), tick("diff"), tick("every")];
  const element = h("div", {}, h("h1", { class: "unseen" }, "Legality"),
    h("div", { class: "bar" }, h("label", { class: "menu grow" }, h("span", {}, "Filter"), text), to.element, from.element, part.element, versus.element),
    h("div", { class: "bar" }, here.element, differing.element, all.element, folded.element, count),
    problem, key, none, matrix.element);

  const any: [string, string] = ["", "any"];
  const types = (which: "destination" | "source") => [any, ...new Set(forms.map((form) => form[which]))];
  // The parts between the name and the types: rounding modes and modifiers, in the order of PTX.
  const parts = [any, ...new Set(forms.flatMap((form) => [...(form.rounding ? [form.rounding] : []), ...form.modifiers]))];

  function update(): void {
    const { targets, versions } = legality();
    const [target, isa] = [value("target"), value("isa")];
    // A target is not compared with itself.
    const other = value("versus") === target ? "" : value("versus");
    hold(text, value("q"));
    to.update(types("destination"), value("to"));
    from.update(types("source"), value("from"));
    part.update(parts, value("with"));
    versus.update([["", "nothing"], ...targets.filter((name) => name !== target)], other);
    versus.element.hidden = !targets.includes(target) && other === "";
    const unknown = other !== "" && !targets.includes(other);
    const missing = ([["to", "type"], ["from", "type"], ["with", "rounding or modifier"]] as const).flatMap(([name, what]) => {
      const known = name === "with" ? parts : types(name === "to" ? "destination" : "source");
      return known.some((one) => one === value(name)) || value(name) === "" ? [] : [`\`${value(name).slice(0, 40)}\` is not a ${what} of these forms. Choose one in the menu.`];
    });
    const itself = target !== "" && value("versus") === target ? `\`${target}\` is the target itself. Choose another one to compare it with.` : "";
    const alone = other !== "" && !targets.includes(target) ? `Choose a target above to compare it with \`${other}\`.` : itself;
    fill(problem, ...prose([unknown ? `${machineError(other, "")}. Choose one in the menu.` : alone, ...missing].filter(Boolean).join(" ")));
    const pinned = [target, other].filter((name) => targets.includes(name));
    const at = versions.includes(isa) ? ` at ISA ${isa}` : "";
    here.element.hidden = pinned.length === 0;
    differing.element.hidden = pinned.length < 2;
    here.label.textContent = `only legal on ${pinned[0] ?? ""}${at}`;
    differing.label.textContent = "only differences";
    all.label.textContent = "also forms that every target has";
    folded.label.textContent = "a column for every target";
    for (const [one, name] of [[here, "here"], [all, "all"], [differing, "diff"], [folded, "every"]] as const) one.box.checked = value(name) === "1";
    const found = filter(forms, pinned, isa);
    count.textContent = `${found.length} of ${forms.length} forms`;
    none.hidden = found.length > 0;
    if (found.length === 0) empty(nearest(value("q")).flatMap((at) => forms[at] ?? []));
    matrix.element.hidden = found.length === 0;
    const cells = matrix.show(found, pinned, isa, value("every") === "1");
    fill(key,
      h("span", {}, "In a cell: the first ISA version."),
      cells.yes && h("span", { class: "key-cell yes" }, "later than the target itself"),
      cells.own && h("span", { class: "key-cell own" }, "as old as the target"),
      cells.none && h("span", { class: "key-cell none" }, "· never"),
      cells.not && h("span", { class: "key-cell not" }, `not legal at ISA ${isa}`),
      h("span", {}, h("code", {}, "a"), " only this GPU; ", h("code", {}, "f"), " its family; neither: every later GPU, too."),
      cells.folded && h("span", {}, h("code", {}, "+2"), " two more targets with the same column."));
  }

  function empty(near: Form[]): void {
    const link = (form: Form) => h("button", {
      type: "button", class: "fix", onclick: () => {
        set({ q: form.opcode, to: "", from: "", with: "", here: "", diff: "" });
        text.value = form.opcode;
        update();
      },
    }, form.opcode);
    const { targets } = legality();
    const words = value("q").toLowerCase().split(/[\s,]+/);
    const named = words.find((word) => targets.includes(word));
    const choose = (target: string) => h("button", {
      type: "button", class: "fix", onclick: () => {
        text.value = words.filter((word) => word !== target).join(" ");
        set({ q: text.value, target });
        dispatchEvent(new Event("machine"));
        update();
      },
    }, `choose ${target}`);
    fill(none, h("p", {}, "No form matches."), named !== undefined && h("p", {}, h("code", {}, named), " is a target, which the menu above chooses: ", choose(named)), near.length > 0 && h("p", { class: "fixes" }, h("span", { class: "dim" }, "The nearest: "), ...near.map(link)));
  }
  return { element, show: update };
}
