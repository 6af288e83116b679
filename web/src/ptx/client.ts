// Starts the workers and sends them the text: whole the first time, and later only what changed.
import program from "ptxcvt:worker";
import { unpack } from "../unpack";
import type { Answer, Request } from "./messages";

/** A worker, made when the first message is sent. */
class Helper {
  private worker: Worker | undefined;

  constructor(private heard: (answer: Answer) => void, private failed: () => void) {}

  send(request: Request): void {
    if (!this.worker) {
      this.worker = new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
      this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.heard(data));
      this.worker.addEventListener("error", () => this.failed());
      const waiting: Request[] = [];
      const { worker } = this;
      // Messages keep their order until the library is there.
      this.send = (later) => void waiting.push(later);
      void unpack().then((unpacked) => {
        worker.postMessage({ kind: "start", library: unpacked } satisfies Request);
        this.send = (later) => worker.postMessage(later);
        waiting.forEach((one) => worker.postMessage(one));
      });
    }
    this.send(request);
  }
}

export interface Heard {
  judged(judged: Extract<Answer, { kind: "judged" }>["judged"]): void;
  statistics(statistics: Extract<Answer, { kind: "statistics" }>["statistics"]): void;
  run(run: Extract<Answer, { kind: "run" }>["run"]): void;
  /** The worker could not be started, or ended. */
  failed(): void;
}

/** The text as the worker knows it, and the latest question of each kind. */
export class Checker {
  private known: { text: string; how: string } | undefined;
  private wanted = { text: "", language: "", target: "", isa: "" };
  private judging = false;
  private numbers = { judged: 0, statistics: 0, run: 0 };
  private editor: Helper;
  private counter: Helper;
  private later = 0;
  private counting = false;
  private again: (() => void) | undefined;

  constructor(private heard: Heard) {
    this.editor = new Helper((answer) => this.hear(answer), () => heard.failed());
    // Counting a long text takes a while, during which the editor's worker checks keystrokes.
    this.counter = new Helper((answer) => this.hear(answer), () => {});
  }

  private hear(answer: Answer): void {
    if (answer.kind === "statistics") {
      this.counting = false;
      this.again?.();
      this.again = undefined;
    }
    if (answer.kind === "judged") {
      this.judging = false;
      // Of a target that does not exist, such as one in a link, the worker keeps no text.
      if (answer.judged.error) this.known = undefined;
      // The text has changed meanwhile.
      if (answer.number !== this.numbers.judged) this.judge();
    }
    if (answer.number !== this.numbers[answer.kind]) return;
    if (answer.kind === "judged") this.heard.judged(answer.judged);
    else if (answer.kind === "statistics") this.heard.statistics(answer.statistics);
    else this.heard.run(answer.run);
  }

  check(text: string, language: string, target: string, isa: string): void {
    this.wanted = { text, language, target, isa };
    this.numbers.judged++;
    // One question at a time: otherwise outdated answers would delay the current one if typing is faster than the worker.
    if (!this.judging) this.judge();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const count = () => {
        this.counting = true;
        this.counter.send({ kind: "statistics", number: ++this.numbers.statistics, text, language, target, isa });
      };
      if (this.counting) this.again = count;
      else count();
    }, Math.min(600, text.length / 500));
  }

  private judge(): void {
    const { text, language, target, isa } = this.wanted;
    const how = [language, target, isa].join();
    const number = this.numbers.judged;
    const edit = this.known?.how === how ? difference(this.known.text, text) : null;
    if (edit) this.editor.send({ kind: "edit", number, ...edit });
    else this.editor.send({ kind: "open", number, text, language, target, isa });
    this.known = { text, how };
    this.judging = true;
  }

  run(text: string, operands: string[]): void {
    this.editor.send({ kind: "run", number: ++this.numbers.run, text, operands });
  }
}

/** The bytes that differ between two texts, and the new ones. */
function difference(before: string, after: string): { start: number; end: number; text: string } {
  const short = Math.min(before.length, after.length);
  let start = 0;
  // Browsers compare long strings faster than a loop does.
  for (const step of [1 << 18, 1 << 12]) {
    while (start + step <= short && before.slice(start, start + step) === after.slice(start, start + step)) start += step;
  }
  while (start < short && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let same = 0;
  const end = (text: string, from: number, length: number) => text.slice(text.length - from - length, text.length - from);
  for (const step of [1 << 18, 1 << 12]) {
    while (same + step <= short - start && end(before, same, step) === end(after, same, step)) same += step;
  }
  while (same < short - start && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) same++;
  // A character of two units is replaced whole.
  const splits = (text: string, at: number) => /[\uDC00-\uDFFF]/.test(text.charAt(at));
  if (splits(before, start) || splits(after, start)) start--;
  if (splits(before, before.length - same) || splits(after, after.length - same)) same--;
  const from = bytes(before.slice(0, start));
  return { start: from, end: from + bytes(before.slice(start, before.length - same)), text: after.slice(start, after.length - same) };
}

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text).length;
