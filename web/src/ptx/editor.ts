// The editor: CodeMirror, which draws only the lines in sight, and undoes.
import { history, historyKeymap, insertNewlineKeepIndent, isolateHistory, standardKeymap } from "@codemirror/commands";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, type ChangeSet, EditorState, type Text, type Transaction } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { fill, h, whenPrinting } from "../dom";
import type { By } from "../state";
import { computed, judged, paint, painted, type Mark } from "./paint";

/** Marks a change that the page made, such as inserting the text of a link, not the user. */
const shown = Annotation.define<true>();

interface Heard {
  /** The text has changed. */
  changed(changes: ChangeSet): void;
  /** The user has changed the text. */
  written(by: By): void;
}

export class Editor {
  readonly element = h("div", { class: "editor mono" });
  private view: EditorView;
  private paper = h("div", { class: "paper" });
  private last: { doc: Text; text: string } | undefined;

  constructor(text: string, heard: Heard) {
    const enter = { key: "Enter", run: insertNewlineKeepIndent, shift: insertNewlineKeepIndent };
    this.view = new EditorView({
      parent: this.element,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), EditorState.tabSize.of(8), paint,
          // The browser's own search does not see the lines out of sight.
          search({ top: true }), keymap.of([enter, ...historyKeymap, ...searchKeymap, ...standardKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "PTX", tabindex: "0" }),
          EditorState.transactionExtender.of((one) => begins(one) ? { annotations: isolateHistory.of("full") } : null),
          EditorView.updateListener.of(({ docChanged, changes, transactions }) => {
            if (!docChanged) return;
            heard.changed(changes);
            if (!transactions.some((one) => one.annotation(shown))) heard.written(transactions.some(begins) ? "begin" : "typing");
          }),
        ],
      }),
    });
    this.element.append(this.paper);
    whenPrinting((prints) => fill(this.paper, ...(prints && this.element.isConnected ? painted(this.view.state) : [])));
  }

  get doc(): Text {
    return this.view.state.doc;
  }

  get text(): string {
    const { doc } = this;
    if (this.last?.doc !== doc) this.last = { doc, text: doc.toString() };
    return this.last.text;
  }

  /** Shows another text. Undoing brings the one before back. */
  set(text: string): void {
    const { doc } = this;
    const insert = this.view.state.toText(text);
    if (insert.eq(doc)) return;
    this.view.dispatch({
      changes: { from: 0, to: doc.length, insert },
      selection: { anchor: Math.min(insert.length, this.view.state.selection.main.head) },
      annotations: [shown.of(true), isolateHistory.of("full")],
    });
  }

  /** Replaces parts; this is one step to undo. */
  replace(edits: { start: number; end: number; to: string }[]): void {
    const changes = this.view.state.changes(edits.map(({ start, end, to }) => ({ from: start, to: end, insert: to })));
    const anchor = changes.mapPos(edits[0]?.end ?? 0, 1);
    this.view.dispatch({ changes, selection: { anchor }, userEvent: "input.fix", scrollIntoView: true });
    this.view.focus();
  }

  /** Selects a part and scrolls to it. */
  go(from: number, to: number): void {
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  judge(marks: Mark[], coloured: boolean): void {
    this.view.dispatch({ effects: judged.of({ marks, coloured }) });
  }

  /** Shows values after the lines that begin at these places. */
  values(lines: Int32Array, texts: string[]): void {
    this.view.dispatch({ effects: computed.of({ lines, texts }) });
  }
}

/** True for a step of its own, of the page's history and of the editor's: what is pasted, dropped, cut or fixed, and what
 * removes several lines. */
function begins(one: Transaction): boolean {
  if (!one.docChanged || one.isUserEvent("undo") || one.isUserEvent("redo")) return false;
  if (["input.paste", "input.drop", "input.fix", "delete.cut"].some((event) => one.isUserEvent(event))) return true;
  let removes = false;
  one.changes.iterChangedRanges((from, to) => {
    removes ||= to > from + 1 && one.startState.doc.lineAt(from).to < to;
  });
  return removes;
}
