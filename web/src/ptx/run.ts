// Runs straight-line PTX: its operands, what each instruction wrote, and the outputs.
import { fill, h, prose } from "../dom";
import type { Run } from "../library";
import { set, written } from "../state";

const OPERANDS = "1.55\n-999";
export const operands = () => written("in", OPERANDS).split("\n");

export class RunPanel {
  readonly element = h("section", { "aria-label": "Run" });
  private boxes = h("div", { class: "inputs bar" });
  private trace = h("div", { class: "trace" });
  private remarks: HTMLElement[] = [];
  private shape = "";

  constructor(private changed: () => void) {
    fill(this.element, h("h2", {}, "Run"), this.boxes, this.trace);
  }

  show(said: Run): void {
    const shape = said.inputs.map((port) => `${port.name}${port.kind}`).join();
    if (shape !== this.shape) this.build(said);
    this.shape = shape;
    said.inputs.forEach((port, at) => {
      const remark = this.remarks[at];
      if (!remark) return;
      remark.className = port.error ? "bad" : "dim";
      fill(remark, ...prose(port.error ?? (port.note ? `It ${port.note}.` : "")));
    });
    const wrong = said.inputs.some((port) => port.error);
    this.trace.classList.toggle("stale", wrong);
    if (said.error) {
      fill(this.trace, h("p", { class: "dim" }, ...prose(`It cannot be run: ${said.error.message}${said.error.help ? ` — ${said.error.help}` : ""}`)));
      return;
    }
    if (wrong) return;
    fill(this.trace,
      h("table", { class: "where mono" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "instruction"), h("th", {}, "wrote"))),
        h("tbody", {}, ...said.steps.map((step) =>
          h("tr", {}, h("td", {}, step.text), h("td", {}, step.executed ? h("b", {}, step.written.map((w) => w.bits).join(" ")) : h("span", { class: "dim" }, "not executed")))))),
      ...said.outputs.map((p) => h("p", { class: "answer mono" }, h("strong", {}, `${p.name} = ${p.bits}`), p.value !== null && h("span", {}, h("span", { class: "dim" }, `${p.kind} `), p.value))),
      said.approximate && h("p", { class: "dim" }, "The manual does not fix the bits of .approx instructions; here they are correctly rounded."));
  }

  private build(said: Run): void {
    this.remarks = said.inputs.map(() => h("span", { role: "alert" }));
    fill(this.boxes, ...said.inputs.map((port, at) => {
      const box = h("input", { type: "text", value: operands()[at] ?? "0", spellcheck: "false", autocomplete: "off", class: "mono" });
      box.addEventListener("input", () => {
        const now = operands();
        while (now.length <= at) now.push("0");
        now[at] = box.value;
        set({ in: now.join("\n") }, "typing");
        this.changed();
      });
      return h("label", { class: "menu" }, h("span", { class: "mono" }, port.name, " ", h("span", { class: "dim" }, port.kind)), box, this.remarks[at]);
    }));
  }
}
