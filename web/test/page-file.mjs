// The path of the page, its editor, and its views.
export const file = new URL("../../target/web/index.html", import.meta.url);
/** The editor of the PTX view, in the page. */
export const EDITOR = "document.querySelector('.cm-content')?.cmTile.root.view";
export const VIEWS = ["convert", "formats", "legality", "ptx", "blocks"];
