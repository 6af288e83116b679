// The paths of the page and its second file, its editor, and its views.
export const file = new URL("../../target/web/index.html", import.meta.url);
export const second = new URL("ptx.js", file);
/** The editor of the PTX view, in the page. */
export const EDITOR = "document.querySelector('.cm-content')?.cmTile.root.view";
export const VIEWS = ["convert", "formats", "legality", "ptx", "blocks"];
