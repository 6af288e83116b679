// PTX, or a source with PTX in it: findings with their fixes, what the text contains, and what it computes.
import { afterPaint, fill, h, Menu, say, waiting, type View } from "../dom";
import { tables, type Finding, type Judged } from "../library";
import type { Ran } from "./messages";
import { set, value, written } from "../state";
import { bar } from "./bar";
import { Checker } from "./client";
import { showContents } from "./contents";
import { Editor } from "./editor";
import { showCode, showFindings } from "./findings";
import { places } from "./places";
import { operands, RunPanel } from "./run";

const EXAMPLE = `// Two f32 to a pair of e4m3, back to f16, and doubled.
.reg .b16 p; .reg .b32 h;
cvt.rn.satfinite.e4m3x2.f32 p, %1, %2;
cvt.rn.f16x2.e4m3x2 h, p;
add.rn.f16x2 %0, h, h;
`;
/** Longer texts are not run. */
const LONGEST_RUN = 100_000;
/** A longer text is run when its typing pauses for this many milliseconds. */
const [LONG, PAUSE] = [5000, 150];
/** The first findings wait at most this many milliseconds for the first run. */
const LONGEST_WAIT = 500;

export function ptxView(): View {
  const editor = new Editor(written("text", EXAMPLE), {
    changed: (changes) => checker.changed(changes),
    written: (by) => {
      set({ text: editor.text }, by);
      check();
    },
  });
  const language = new Menu("Language", (to) => {
    set({ lang: to });
    check();
  });
  const findings = h("section", { "aria-label": "Findings" });
  const contents = h("section", { "aria-label": "Statistics" });
  const page = h("section", { "aria-label": "Explanation" });
  const running = new RunPanel(() => run());
  // The fields of the run stay: they are not answers.
  const [findingsWait, contentsWait, runWait] = [waiting(findings), waiting(contents), waiting(running.trace, false)];
  let judged: Judged | undefined;
  const later = afterPaint();
  const checker = new Checker({
    judged: (found) => {
      findingsWait.end();
      judged = found;
      showJudged(found);
    },
    statistics: (found) => {
      contentsWait.end();
      showContents(contents, found);
    },
    run: showRun,
    failed: () => {
      [findingsWait, contentsWait, runWait].forEach((wait) => wait.end());
      complete();
      fill(findings, h("h2", {}, "Not checked"),
      h("p", { class: "bad", role: "alert" }, "The checker does not run here: the browser or the server refuses the page's worker, or it ended. Open the page again, or use ", h("code", {}, "ptxcvt check"), "."));
    },
  });
  // What is below and next to the editor is shown together, once all of it is known, so that nothing moves while it is read.
  const pair = h("div", { class: "pair first" }, h("div", {}, editor.element, running.element), h("div", {}, findings, page, contents));
  const complete = () => pair.classList.remove("first");
  const element = h("div", {}, h("h1", { class: "unseen" }, "PTX"),
    bar(language),
    pair);

  const text = () => editor.text;
  const runnable = () => text().length < LONGEST_RUN && judged?.language === "ptx" && (judged.snippet || /\.func\b/.test(text()));

  function check(): void {
    [findingsWait, contentsWait, runWait].forEach((wait) => wait.begin());
    checker.check(editor.doc, value("lang"), value("target"), value("isa"));
  }

  function run(): void {
    if (runnable()) checker.run(text(), operands());
  }

  function showMenu(guessed: string | undefined): void {
    const all = tables().languages.map(({ name, title }): [string, string] => [name, title]);
    const title = all.find(([name]) => name === guessed)?.[1];
    language.update([["", title ? `detected: ${title}` : "detect"], ...all], value("lang"));
  }

  function showJudged(found: Judged): void {
    showMenu(found.language);
    const place = found.findings?.length ? places(text()) : Number;
    editor.judge((found.findings ?? []).map(({ start, end, severity, message }) =>
      ({ from: place(start), to: Math.max(place(end), place(start) + 1), severity, message })), found.language === "ptx");
    showFindings(findings, found, { go, fix, explain });
    running.element.hidden = !runnable();
    if (runnable()) {
      // A loop can run for long: the findings do not wait for its end.
      setTimeout(complete, LONGEST_WAIT);
    } else {
      runWait.end();
      complete();
    }
    later(run, text().length > LONG ? PAUSE : 0);
  }

  function go(finding: Finding): void {
    const place = places(text());
    editor.go(place(finding.start), place(finding.end));
  }

  function fix(chosen: NonNullable<Finding["fix"]>): void {
    const place = places(text());
    say(chosen.title);
    editor.replace(chosen.edits.map(({ start, end, text: to }) => ({ start: place(start), end: place(end), to })));
  }

  function explain(code: string): void {
    set({ code });
    showCode(page);
  }

  function showRun(ran: Ran): void {
    runWait.end();
    running.show(ran);
    complete();
    editor.values(ran.lines, ran.values ? ran.values.split("\n") : []);
  }

  function show(): void {
    editor.set(written("text", EXAMPLE));
    showMenu(judged?.language);
    showCode(page);
    check();
  }
  return { element, show };
}
