// Links to the pages of the site. The site's copy of this page and builds that know the site's address have them; a page
// that is alone in a folder has none, so that no link leads nowhere.
import { h } from "./dom";
import { sitePath } from "./library";

const root = document.documentElement.dataset["site"] ?? "";

/** A link to the page of a form, a format, a recipe or a code; null without a site. */
export function more(name: string, label: string): HTMLElement | null {
  return root ? h("a", { href: `${root}/${sitePath(name)}` }, label) : null;
}

/** A link to the start of the site; null without one. */
export const start = () => (root ? h("a", { href: `${root}/index.html` }, "All forms, formats, recipes and codes") : null);
