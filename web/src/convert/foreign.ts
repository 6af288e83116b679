// Texts of other languages in the box, whose readers are in the page's second file.
import { understand, type Understood } from "../library";
import { part } from "../part";

let read: ((text: string) => Understood) | undefined;
let loading = false;
/** What is done once the readers are there, or cannot be loaded. */
const waiting = new Set<() => void>();
/** The text for which the readers could not be loaded, and why. The next text tries again. */
let failed: { text: string; why: string } | undefined;

/** What a text means. If the readers have to be loaded first, it has a problem until then; `arrived` is called when they are
 * there, or cannot be loaded. */
export function understood(text: string, arrived?: () => void): Understood {
  if (failed?.text !== text) failed = undefined;
  const own = understand(text);
  if (own.unread === null) return own;
  if (read) return read(text);
  if (failed) return { ...own, problem: `${own.problem ?? ""}, which cannot be read here. ${failed.why.replace(/\.$/, "")}` };
  // Also if an earlier call began to load them, which may have had nothing to do afterwards.
  if (arrived) waiting.add(arrived);
  if (!loading) void load(text);
  return { ...own, problem: `${own.problem ?? ""}; its reader is being loaded` };
}

async function load(text: string): Promise<void> {
  loading = true;
  try {
    read = await (await part()).reader();
  } catch (error) {
    failed = { text, why: (error as Error).message };
  }
  loading = false;
  const all = [...waiting];
  waiting.clear();
  all.forEach((arrived) => arrived());
}
