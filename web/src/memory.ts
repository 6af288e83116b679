// What outlives the page in its tab: values of views under the numbers of the history's entries. Reloading the page, leaving it
// and coming back, or a tab that the browser discards, lose what is only in memory.
export type Values = Map<string, string>;

const PREFIX = "ptxcvt ";
/** What is stored already. */
let stored = new Map<string, unknown>();

/** Values that were stored under a name, or null. */
export function recall(name: string | number): Values | null {
  try {
    const text = sessionStorage.getItem(`${PREFIX}${name}`);
    return text === null ? null : new Map(JSON.parse(text) as [string, string][]);
  } catch {
    return null;
  }
}

/** Stores values under names, the most important ones first. If there is no room, those of earlier times give way; what does
 * not fit, or is refused by the browser, is lost with the page. */
export function remember(all: [string | number, Values][]): void {
  const done = new Map<string, unknown>();
  for (const [name, values] of all) {
    const key = `${PREFIX}${name}`;
    const put = () => {
      try {
        if (stored.get(key) !== values) sessionStorage.setItem(key, JSON.stringify([...values]));
        return true;
      } catch {
        return false;
      }
    };
    if (!put()) {
      forget(done);
      if (!put()) break;
    }
    done.set(key, values);
  }
  stored = done;
}

/** Removes everything of this page except some keys. */
function forget(but: Map<string, unknown>): void {
  stored.clear();
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX) && !but.has(key)) sessionStorage.removeItem(key);
  } catch {
    // The browser refuses storage.
  }
}
