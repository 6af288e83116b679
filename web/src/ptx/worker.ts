// The worker of the editor: it keeps the text, checks it after every edit, and runs it, so that the page never waits.
import { edit, open, run, startSources, statistics } from "../sources";
import { ROWS, type Answer, type Ran, type Request } from "./messages";
import { places } from "./places";

let ready: Promise<void> | undefined;

async function answer(request: Request): Promise<Answer | null> {
  switch (request.kind) {
    case "start":
      ready = startSources(request.library);
      return null;
    case "open":
      return { kind: "judged", number: request.number, judged: open(request.text, request.language, request.target, request.isa) };
    case "edit":
      return { kind: "judged", number: request.number, judged: edit(request.start, request.end, request.text) };
    case "statistics":
      return { kind: "statistics", number: request.number, statistics: statistics(request.text, request.language, request.target, request.isa) };
    case "run":
      return { kind: "run", number: request.number, ran: ran(request.text, request.operands) };
  }
}

function ran(text: string, operands: string[]): Ran {
  const all = run(text, operands);
  // Inputs that cannot be read give no values.
  const steps = all.error || all.inputs.some((port) => port.error) ? [] : all.steps;
  const place = places(text);
  const wrote = new Map<number, string>();
  for (const step of steps) {
    if (!step.executed || step.written.length === 0) continue;
    const line = text.lastIndexOf("\n", place(step.end) - 1) + 1;
    wrote.set(line, [wrote.get(line), ...step.written.map((w) => w.bits)].filter(Boolean).join(" "));
  }
  const lines = [...wrote].sort(([a], [b]) => a - b);
  return {
    run: { ...all, steps: all.steps.slice(0, ROWS) }, count: all.steps.length,
    lines: Int32Array.from(lines, ([line]) => line), values: lines.map(([, values]) => values).join("\n"),
  };
}

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if (data.kind !== "start") await ready;
  const reply = await answer(data);
  if (reply) postMessage(reply);
});
