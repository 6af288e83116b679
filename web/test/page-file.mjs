// The path of the page, and its views.
export const file = new URL("../../target/web/index.html", import.meta.url);
export const VIEWS = ["convert", "formats", "legality", "ptx", "blocks"];
