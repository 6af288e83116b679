// Starts the workers and sends them the text: whole the first time, and later only what changed.
import program from "ptxcvt:worker";
import { ChangeSet, Text } from "@codemirror/state";
import { replaced } from "./changes";
import type { Answer, Request } from "./messages";
import { readers } from "./reader";

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
      void readers().then((unpacked) => {
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
  run(ran: Extract<Answer, { kind: "run" }>["ran"]): void;
  /** The worker could not be started, or ended. */
  failed(): void;
}

/** The text as the worker knows it, and the latest question of each kind. */
export class Checker {
  private known: { doc: Text; how: string } | undefined;
  /** What has changed since then. */
  private since = ChangeSet.empty(0);
  private wanted = { doc: Text.empty, language: "", target: "", isa: "" };
  private judging = false;
  private numbers = { judged: 0, statistics: 0, run: 0 };
  /** The question for findings whose text is being counted. */
  private counted = 0;
  /** The findings that are shown. */
  private found = "";
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
    if (answer.kind === "judged") {
      this.found = JSON.stringify(answer.judged);
      this.heard.judged(answer.judged);
    } else if (answer.kind === "statistics") {
      this.heard.statistics(answer.statistics);
      this.compare(answer.statistics.judged);
    } else this.heard.run(answer.ran);
  }

  /** After an edit the worker reads only what the edit can have changed. If the whole text, read anew by the counter, has other
   * findings, they replace those shown. */
  private compare(anew: Extract<Answer, { kind: "judged" }>["judged"] | undefined): void {
    if (!anew || this.judging || this.counted !== this.numbers.judged || JSON.stringify(anew) === this.found) return;
    // The worker is to forget what it made of the text.
    this.known = undefined;
    this.found = JSON.stringify(anew);
    this.heard.judged(anew);
  }

  changed(changes: ChangeSet): void {
    if (this.known) this.since = this.since.compose(changes);
  }

  check(doc: Text, language: string, target: string, isa: string): void {
    this.wanted = { doc, language, target, isa };
    this.numbers.judged++;
    // What was run belongs to another text.
    this.numbers.run++;
    // One question at a time: otherwise outdated answers would delay the current one if typing is faster than the worker.
    if (!this.judging) this.judge();
    clearTimeout(this.later);
    const asked = this.numbers.judged;
    this.later = setTimeout(() => {
      const count = () => {
        this.counting = true;
        this.counted = asked;
        this.counter.send({ kind: "statistics", number: ++this.numbers.statistics, text: doc.toString(), language, target, isa });
      };
      if (this.counting) this.again = count;
      else count();
    }, Math.min(600, doc.length / 500));
  }

  private judge(): void {
    const { doc, language, target, isa } = this.wanted;
    const how = [language, target, isa].join();
    const number = this.numbers.judged;
    if (this.known?.how === how) this.editor.send({ kind: "edit", number, ...replaced(this.since, this.known.doc, doc) });
    else this.editor.send({ kind: "open", number, text: doc.toString(), language, target, isa });
    this.known = { doc, how };
    this.since = ChangeSet.empty(doc.length);
    this.judging = true;
  }

  run(text: string, operands: string[]): void {
    this.editor.send({ kind: "run", number: ++this.numbers.run, text, operands });
  }
}
