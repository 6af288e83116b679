// The page's second file, which the view of PTX and texts of other languages need: the editor and the readers of sources. It is
// loaded by a tag when it is first needed, because a page that was opened from a folder may load a neighbour so, but may not
// fetch it.
import * as dom from "./dom";
import * as library from "./library";
import * as site from "./site";
import * as state from "./state";
import * as unpack from "./unpack";

/** What the second file provides. */
export interface Part {
  view(): dom.View;
  /** Starts the readers, and returns what reads a text. */
  reader(): Promise<(text: string) => library.Understood>;
}

/** What the page gives its second file: bundle.mjs has the second file take these modules, which have a state, from here. */
export interface Page {
  dom: typeof dom;
  library: typeof library;
  site: typeof site;
  state: typeof state;
  unpack: typeof unpack;
  provide(build: string, part: Part): void;
}

const NAME = "ptx.js";
let provided: { build: string; part: Part } | undefined;
let loading: Promise<Part> | undefined;

const page: Page = { dom, library, site, state, unpack, provide: (build, part) => void (provided = { build, part }) };
Object.assign(globalThis, { ptxcvtPage: page });

/** The second file, loaded once. If that fails, the error says why, and the next call tries again. */
export function part(): Promise<Part> {
  return (loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));
}

function load(): Promise<Part> {
  return new Promise((done, failed) => {
    // The build in the address keeps browsers from taking the file of another build out of their cache.
    const script = dom.h("script", { src: `${NAME}?${BUILD}`, onload: () => end(), onerror: () => end() });
    const where = new URL(NAME, document.baseURI);
    const fail = (why: string) => failed(new Error(`${why} Its place is next to this page: \`${where.protocol === "file:" ? decodeURIComponent(where.pathname) : where.href}\`.`));
    const end = () => {
      script.remove();
      if (!provided) fail(`The file \`${NAME}\` is missing or damaged.`);
      else if (provided.build !== BUILD) {
        provided = undefined;
        fail(`The file \`${NAME}\` belongs to another build of this page.`);
      } else done(provided.part);
    };
    document.head.append(script);
  });
}
