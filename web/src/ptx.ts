// Pasted PTX: findings with their fixes, statistics of the module, and the values after each instruction.
import { fill, h, say } from "./dom";
import { check, run, tables, type Finding, type Run } from "./library";
import { address, set, value } from "./state";

const EXAMPLE = `// Two f32 to a pair of e4m3, back to f16, and doubled.
.reg .b16 p; .reg .b32 h;
cvt.rn.satfinite.e4m3x2.f32 p, %1, %2;
cvt.rn.f16x2.e4m3x2 h, p;
add.rn.f16x2 %0, h, h;
`;

export function ptxView(root: HTMLElement): void {
  const text = h("textarea", { "aria-label": "PTX", spellcheck: "false", autocomplete: "off", wrap: "off" });
  text.value = value("text", EXAMPLE);
  const echo = h("pre", { "aria-hidden": "true" });
  const gutter = h("pre", { "aria-hidden": "true", class: "gutter" });
  const editor = h("div", { class: "editor" }, echo, text, gutter);
  const findings = h("section", { "aria-label": "Findings" });
  const stats = h("section", { "aria-label": "Statistics" });
  const running = h("section", { "aria-label": "Run" });
  const page = h("section", { "aria-label": "Explanation" });
  let inputs = "";
  let judged: Finding[] = [];

  function update(): void {
    const source = text.value;
    const snippet = !/^\s*\.version\b/m.test(source);
    const found = check(source, value("target"), value("isa"), snippet);
    judged = found.findings;
    mark([]);
    showFindings(found.findings);
    fill(stats, h("h2", {}, "Contents"),
      h("p", {}, `${found.instructions} instruction${found.instructions === 1 ? "" : "s"}, ${found.conversions} of them conversion${found.conversions === 1 ? "" : "s"}`),
      found.forms.length > 0 && h("table", { class: "where" }, h("tbody", {}, ...found.forms.toSorted((a, b) => b.count - a.count).map(({ form, count, line }) =>
        h("tr", {}, h("th", { scope: "row" }, String(count)), h("td", {}, h("a", { href: address("convert", [["op", form], ["target", value("target")], ["isa", value("isa")]]) }, form)), h("td", { class: "dim" }, `line ${line}`))))),
      found.forms.length > 0 && h("p", { class: "dim" }, found.lowest
        ? `All of them are legal from ${found.lowest.target} at ISA ${found.lowest.isa} on.` : "No single target has all of them."),
      found.nearly && h("p", { class: "dim" }, `It could be built for ${found.nearly.target} at ISA ${found.nearly.isa} except for line ${found.nearly.but_lines.join(", ")}.`));
    showRun(source, snippet || /\.func\b/.test(source));
    showCode();
  }

  /** Draws the layer below the text: marked findings, and after each line the bits that its instructions wrote. */
  function mark(steps: Run["steps"]): void {
    const place = places(text.value);
    const marks = judged.map(({ start, end, severity }) => ({ from: place(start), to: Math.max(place(end), place(start) + 1), severity }));
    const wrote = new Map<number, string[]>();
    for (const step of steps.filter((step) => step.executed && step.written.length > 0)) {
      const end = text.value.indexOf("\n", place(step.end));
      const line = end < 0 ? text.value.length : end;
      wrote.set(line, [...(wrote.get(line) ?? []), ...step.written.map((w) => w.bits)]);
    }
    const parts: Node[] = [];
    let at = 0;
    const plain = (to: number) => {
      for (const [line, bits] of [...wrote].filter(([line]) => at <= line && line <= to).toSorted(([a], [b]) => a - b)) {
        parts.push(document.createTextNode(text.value.slice(at, line)), h("span", { class: "wrote" }, bits.join(" ")));
        wrote.delete(line);
        at = line;
      }
      parts.push(document.createTextNode(text.value.slice(at, to)));
      at = to;
    };
    for (const { from, to, severity } of marks.toSorted((a, b) => a.from - b.from)) {
      if (from < at) continue;
      plain(from);
      parts.push(h("mark", { class: severity }, text.value.slice(from, to)));
      at = to;
    }
    plain(text.value.length);
    fill(echo, ...parts, "\n");
    const lines = text.value.split("\n").length;
    editor.style.setProperty("--digits", String(Math.max(2, String(lines).length)));
    gutter.textContent = `${Array.from({ length: lines }, (_, line) => line + 1).join("\n")}\n`;
    follow();
  }

  /** Scrolls the layers below with the text. */
  function follow(): void {
    echo.scrollTop = gutter.scrollTop = text.scrollTop;
    echo.scrollLeft = text.scrollLeft;
  }

  function showFindings(all: Finding[]): void {
    const place = places(text.value);
    const go = (finding: Finding) => {
      text.focus();
      text.setSelectionRange(place(finding.start), place(finding.end));
    };
    const fixed = (fix: NonNullable<Finding["fix"]>) => {
      // From the end, so that earlier places stay valid.
      for (const edit of fix.edits.toSorted((a, b) => b.start - a.start)) {
        text.setRangeText(edit.text, place(edit.start), place(edit.end), "end");
      }
      say(fix.title);
      written();
      text.focus();
    };
    fill(findings, h("h2", {}, all.length === 0 ? "No findings" : `${all.length} finding${all.length === 1 ? "" : "s"}`),
      ...all.map((finding) => {
        const { fix } = finding;
        return h("article", { class: `finding ${finding.severity}` },
          h("p", {}, h("button", { type: "button", class: "go", onclick: () => go(finding) }, `${finding.line}:${finding.column}`), " ",
            h("button", { type: "button", class: "code", onclick: () => { set({ code: finding.code }); showCode(); } }, finding.code), ` ${finding.message}`),
          finding.related && h("p", { class: "dim" }, `line ${finding.related.line}: ${finding.related.message}`),
          finding.help && h("p", { class: "help" }, finding.help),
          fix && h("p", {}, h("button", { type: "button", class: "fix", onclick: () => fixed(fix) }, `Fix: ${fix.title}${fix.applicability === "safe" ? "" : " (changes results or targets)"}`)));
      }));
  }

  /** Shows the explanation of the chosen error code. */
  function showCode(): void {
    const code = tables().codes.find((c) => c.code === value("code"));
    page.hidden = !code;
    if (!code) return;
    const paragraphs = code.page.split(/\n\s*\n/).map((p) => h("p", {}, ...prose(p)));
    fill(page, h("h2", {}, code.code), ...paragraphs);
  }

  function showRun(source: string, runnable: boolean): void {
    running.hidden = !runnable;
    if (!runnable) return;
    const texts = value("in", "1.55\n-999").split("\n");
    const said = run(source, texts);
    const key = said.inputs.map((p) => `${p.name}${p.kind}`).join();
    if (key !== inputs || !running.querySelector(".inputs")) {
      inputs = key;
      const boxes = said.inputs.map((port, at) => {
        const box = h("input", { type: "text", value: texts[at] ?? "0", spellcheck: "false", autocomplete: "off" });
        box.addEventListener("input", () => {
          const now = value("in", "1.55\n-999").split("\n");
          while (now.length <= at) now.push("0");
          now[at] = box.value;
          set({ in: now.join("\n") });
          trace(run(text.value, now));
        });
        return h("label", { class: "menu" }, h("span", {}, port.name, " ", h("span", { class: "dim" }, port.kind)), box);
      });
      fill(running, h("h2", {}, "Run"), h("div", { class: "inputs bar" }, ...boxes), h("div", { class: "trace" }));
    }
    trace(said);
  }

  function trace(said: Run): void {
    const shown = running.querySelector(".trace");
    if (!shown) return;
    const { error } = said;
    if (error) {
      fill(shown, h("p", { class: "dim" }, `It cannot be run: ${error.message}`, error.help ? ` — ${error.help}` : ""));
      return;
    }
    mark(said.steps);
    const wrong = said.inputs.filter((p) => p.error).map((p) => h("p", { class: "bad" }, `${p.name}: ${p.error}`));
    fill(shown, ...wrong,
      h("table", { class: "where" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "instruction"), h("th", {}, "wrote"))),
        h("tbody", {}, ...said.steps.map((step) =>
          h("tr", {}, h("td", {}, step.text), h("td", {}, step.executed ? h("b", {}, step.written.map((w) => w.bits).join(" ")) : h("span", { class: "dim" }, "not executed")))))),
      ...said.outputs.map((p) => h("p", { class: "answer" }, h("strong", {}, `${p.name} = ${p.bits}`), p.value !== null && h("span", {}, h("span", { class: "dim" }, `${p.kind} `), p.value))),
      said.approximate && h("p", { class: "dim" }, "The manual does not fix the bits of .approx instructions; here they are correctly rounded."));
  }

  function written(): void {
    set({ text: text.value });
    update();
  }
  text.addEventListener("input", written);
  text.addEventListener("scroll", follow);
  fill(root, h("h1", { class: "unseen" }, "PTX"),
    h("div", { class: "pair" }, h("div", {}, editor, running), h("div", {}, findings, page, stats)));
  update();
}

/** Converts offsets in bytes, as the library counts, to indexes in a JavaScript string. */
function places(text: string): (byte: number) => number {
  if (/^[\x00-\x7f]*$/.test(text)) return (byte) => byte;
  const at: number[] = [];
  let unit = 0;
  for (const c of text) {
    for (let i = new TextEncoder().encode(c).length; i > 0; i--) at.push(unit);
    unit += c.length;
  }
  return (byte) => at[byte] ?? text.length;
}

/** Shows words in backquotes as code. */
function prose(text: string): (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));
}
