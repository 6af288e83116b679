// What the editor shows besides the text: the colours of tokens, findings, and the values that lines computed.
import { type EditorState, type Range, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { h } from "../dom";
import { tables, tokens } from "../library";
import { places } from "./places";

/** The most characters before and after those in sight that are read for their colours. */
const LONG = 5000;

export interface Mark { from: number; to: number; severity: string; message: string }

/** Shows findings, and whether the text is PTX, which is coloured. */
export const judged = StateEffect.define<{ marks: Mark[]; coloured: boolean }>();
/** Values of lines, and the places where these begin, in their order. */
interface Values { lines: Int32Array; texts: string[] }
/** Shows values after lines. */
export const computed = StateEffect.define<Values>();

/** A note at the end of a line. The list of findings and the run say the same to a screen reader. */
class Note extends WidgetType {
  constructor(private text: string, private kind: string) {
    super();
  }

  override eq(other: Note): boolean {
    return other.text === this.text && other.kind === this.kind;
  }

  override toDOM(): HTMLElement {
    return h("span", { class: this.kind, "aria-hidden": "true" }, this.text);
  }
}

const note = (doc: Text, place: number, text: string, kind: string, side: number) =>
  Decoration.widget({ widget: new Note(text, kind), side }).range(doc.lineAt(Math.min(place, doc.length)).to);

function underlined(doc: Text, marks: Mark[]): DecorationSet {
  const all: Range<Decoration>[] = [];
  const noted = new Set<number>();
  for (const { from, to, severity, message } of marks.toSorted((a, b) => a.from - b.from)) {
    if (from < Math.min(to, doc.length)) all.push(Decoration.mark({ tagName: "mark", class: severity }).range(from, Math.min(to, doc.length)));
    // A line has room for one message.
    const last = note(doc, from, message.replaceAll("`", ""), `inline ${severity}`, 2);
    if (!noted.has(last.from)) all.push(last);
    noted.add(last.from);
  }
  return Decoration.set(all, true);
}

const decorations = (field: StateField<DecorationSet>) => EditorView.decorations.from(field);

/** Findings keep their places in the text until the next answer. */
const findings = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, { changes, effects, state }) =>
    effects.reduce((now, effect) => effect.is(judged) ? underlined(state.doc, effect.value.marks) : now, shown.map(changes)),
  provide: decorations,
});

/** Values of an earlier text would be wrong. */
const none: Values = { lines: new Int32Array(), texts: [] };
const values = StateField.define<Values>({
  create: () => none,
  update: (shown, { docChanged, effects }) =>
    effects.reduce((now, effect) => effect.is(computed) ? effect.value : now, docChanged ? none : shown),
});

/** The values of the lines that begin at these places. */
function wrote(state: EditorState, from: number, to: number): Range<Decoration>[] {
  const { lines, texts } = state.field(values);
  let [at, end] = [0, lines.length];
  while (at < end) {
    const middle = (at + end) >> 1;
    if ((lines[middle] ?? 0) < from) at = middle + 1;
    else end = middle;
  }
  const all: Range<Decoration>[] = [];
  for (; (lines[at] ?? Infinity) <= to; at++) all.push(note(state.doc, lines[at] ?? 0, texts[at] ?? "", "wrote", 1));
  return all;
}

const coloured = StateField.define<boolean>({
  create: () => true,
  update: (now, { effects }) => effects.reduce((is, effect) => effect.is(judged) ? effect.value.coloured : is, now),
});

/** The colours of the lines that have these places. */
function colours(state: EditorState, from: number, to: number): Range<Decoration>[] {
  if (!state.field(coloured)) return [];
  const { kinds } = tables();
  // Whole lines, but only a part of very long ones.
  const start = Math.max(state.doc.lineAt(from).from, from - LONG);
  const lines = state.sliceDoc(start, Math.min(state.doc.lineAt(to).to, to + LONG));
  const place = places(lines);
  const found = tokens(lines);
  const all: Range<Decoration>[] = [];
  for (let at = 0; at < found.length; at += 3) {
    const [byte = 0, length = 0, kind = 0] = found.subarray(at, at + 3);
    all.push(Decoration.mark({ class: `t-${kinds[kind] ?? ""}` }).range(start + place(byte), start + place(byte + length)));
  }
  return all;
}

/** What only the lines in sight show, made anew when these or a state change. */
const inSight = (field: StateField<unknown>, make: typeof colours, range: (view: EditorView) => readonly { from: number; to: number }[]) => {
  const drawn = (view: EditorView) => Decoration.set(range(view).flatMap(({ from, to }) => make(view.state, from, to)), true);
  return ViewPlugin.fromClass(class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = drawn(view);
    }

    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      if (docChanged || viewportChanged || startState.field(field) !== state.field(field)) this.decorations = drawn(view);
    }
  }, { decorations: (made) => made.decorations });
};

export const paint = [
  coloured, findings, values,
  inSight(coloured, colours, (view) => view.visibleRanges),
  // A line of which the end is far away has its value there, too.
  inSight(values, wrote, (view) => [{ from: view.state.doc.lineAt(view.viewport.from).from, to: view.viewport.to }]),
];

/** All lines as they are painted, for paper: the editor draws only those in sight. */
export function painted(state: EditorState): HTMLElement[] {
  const { length } = state.doc;
  const lines = [h("div")];
  const put = (...what: (Node | string)[]) => lines.at(-1)?.append(...what);
  RangeSet.spans([Decoration.set(colours(state, 0, length), true), state.field(findings), Decoration.set(wrote(state, 0, length), true)], 0, length, {
    span(from, to, active) {
      state.sliceDoc(from, to).split("\n").forEach((text, at) => {
        if (at > 0) lines.push(h("div"));
        const marked = active.some(({ spec }) => spec.tagName === "mark");
        if (text) put(active.length > 0 ? h(marked ? "mark" : "span", { class: active.map(({ spec }) => spec.class).join(" ") }, text) : text);
      });
    },
    point(_from, _to, { spec }) {
      if (spec.widget instanceof Note) put(spec.widget.toDOM());
    },
  });
  return lines;
}
