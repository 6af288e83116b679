// Runs straight-line PTX: its operands, what each instruction wrote, and the outputs.
import { counted, fill, h, hold, prose } from "../dom";
import type { Run } from "../library";
import { ROWS, type Ran } from "./messages";
import { isGiven, set, written } from "../state";

const OPERANDS = "1.55\n-999";
export const operands = () => written("in", OPERANDS).split("\n");

export class RunPanel {
  readonly element = h("section", { "aria-label": "Run" });
  private boxes = h("div", { class: "inputs bar" });
  private body = h("tbody");
  private table = h("table", { class: "where mono" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "instruction"), h("th", {}, "wrote"))), this.body);
  private rest = h("div");
  /** What was computed. */
  readonly trace = h("div", { class: "trace" }, this.table, this.rest);
  /** What each row of the table says. */
  private drawn: string[] = [];
  private surplus = h("p", { class: "bad", role: "alert" });
  private stale = h("p", { class: "outdated", role: "status", hidden: true });
  private fields: HTMLInputElement[] = [];
  private remarks: HTMLElement[] = [];
  /** The operands of the result that is shown. */
  private good = "";
  private shape = "";

  constructor(private changed: () => void) {
    fill(this.element, h("h2", {}, "Run"), this.boxes, this.surplus, this.stale, this.trace);
  }

  show({ run, count }: Ran): void {
    const shape = run.inputs.map((port) => `${port.name}${port.kind}`).join();
    if (shape !== this.shape) this.build(run);
    this.shape = shape;
    run.inputs.forEach((port, at) => {
      const [field, remark] = [this.fields[at], this.remarks[at]];
      if (!field || !remark) return;
      hold(field, operands()[at] ?? "0");
      remark.className = port.error ? "bad" : "dim";
      fill(remark, ...prose(port.error ?? (port.note ? `It ${port.note}.` : "")));
    });
    const surplus = isGiven("in") ? operands().slice(run.inputs.length) : [];
    fill(this.surplus, ...prose(surplus.length > 0 ? `The text has ${counted(run.inputs.length, "input")}: ${surplus.map((text) => `\`${text.slice(0, 40)}\``).join(", ")} of this link ${surplus.length > 1 ? "are" : "is"} not used.` : ""));
    const wrong = run.inputs.some((port) => port.error);
    this.trace.classList.toggle("stale", wrong);
    this.stale.hidden = !wrong || this.good === "";
    this.stale.textContent = this.stale.hidden ? "" : `The result below belongs to ${this.good}`;
    if (run.error) {
      this.good = "";
      this.draw([]);
      fill(this.rest, h("p", { class: "dim" }, ...prose(`It cannot be run: ${run.error.message}${run.error.help ? ` — ${run.error.help}` : ""}`)));
      return;
    }
    if (wrong) return;
    this.good = run.inputs.map((port, at) => `${port.name} = ${operands()[at] ?? "0"}`).join(", ");
    this.draw(run.steps);
    const more = count - ROWS;
    fill(this.rest, more > 0 && h("p", { class: "dim" }, `${counted(more, "instruction")} more; the values of all are in the text, at the ends of lines.`),
      ...run.outputs.map((p) => h("p", { class: "answer mono" }, h("strong", {}, `${p.name} = ${p.bits}`), p.value !== null && h("span", {}, h("span", { class: "dim" }, `${p.kind} `), p.value))),
      run.approximate && h("p", { class: "dim" }, "The manual does not fix the bits of .approx instructions; here they are correctly rounded."));
  }

  /** Shows steps in the table. Rows that say the same as before stay. */
  private draw(steps: Run["steps"]): void {
    this.table.hidden = steps.length === 0;
    const { rows } = this.body;
    steps.forEach((step, at) => {
      const wrote = step.executed ? step.written.map((w) => w.bits).join(" ") : null;
      const says = JSON.stringify([step.text, wrote]);
      if (this.drawn[at] === says) return;
      const row = h("tr", {}, h("td", {}, step.text), h("td", {}, wrote === null ? h("span", { class: "dim" }, "not executed") : h("b", {}, wrote)));
      if (rows[at]) rows[at].replaceWith(row);
      else this.body.append(row);
      this.drawn[at] = says;
    });
    while (rows.length > steps.length) rows[rows.length - 1]?.remove();
    this.drawn.length = steps.length;
  }

  private build(run: Run): void {
    this.remarks = run.inputs.map(() => h("span", { role: "alert" }));
    this.fields = [];
    fill(this.boxes, ...run.inputs.map((port, at) => {
      const box = h("input", { type: "text", value: operands()[at] ?? "0", spellcheck: "false", autocomplete: "off", class: "mono" });
      box.addEventListener("input", () => {
        const now = operands();
        while (now.length <= at) now.push("0");
        now[at] = box.value;
        set({ in: now.join("\n") }, "typing");
        this.changed();
      });
      this.fields.push(box);
      return h("label", { class: "menu" }, h("span", { class: "mono" }, port.name, " ", h("span", { class: "dim" }, port.kind)), box, this.remarks[at]);
    }));
  }
}
