// The worker of the editor: it keeps the text, checks it after every edit, and runs it, so that the page never waits.
import { edit, open, run, start, statistics } from "../library";
import type { Answer, Request } from "./messages";

let ready: Promise<void> | undefined;

async function answer(request: Request): Promise<Answer | null> {
  switch (request.kind) {
    case "start":
      ready = start(request.library);
      return null;
    case "open":
      return { kind: "judged", number: request.number, judged: open(request.text, request.language, request.target, request.isa) };
    case "edit":
      return { kind: "judged", number: request.number, judged: edit(request.start, request.end, request.text) };
    case "statistics":
      return { kind: "statistics", number: request.number, statistics: statistics(request.text, request.language, request.target, request.isa) };
    case "run":
      return { kind: "run", number: request.number, run: run(request.text, request.operands) };
  }
}

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if (data.kind !== "start") await ready;
  const reply = await answer(data);
  if (reply) postMessage(reply);
});
