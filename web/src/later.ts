// The view of PTX until the page's second file is there.
import { fill, h, Menu, prose, type View } from "./dom";
import { part } from "./part";
import { bar } from "./ptx/bar";

/** A view that loads the second file when it is first shown. `ready` ends when it shows the view, or why there is none. */
export function ptxView(): View & { ready: Promise<void> } {
  const element = h("div");
  const title = () => h("h1", { class: "unseen" }, "PTX");
  let view: View | undefined;
  let loading = false;
  const shown = { ready: Promise.resolve(), element, show };

  function show(): void {
    if (view) view.show();
    else if (!loading) shown.ready = load();
  }

  async function load(): Promise<void> {
    loading = true;
    const language = new Menu("Language", () => {});
    language.update([["", "detect"]], "");
    language.select.disabled = true;
    // The editor gets the place of this box.
    fill(element, title(), bar(language), h("div", { class: "pair first" },
      h("div", {}, h("div", { class: "editor empty dim", role: "status" }, "Loading the editor…")), h("div")));
    try {
      const { view: make } = await part();
      // The user has gone to another view, whose address says nothing about this one.
      if (!element.isConnected) return;
      view = make();
      fill(element, view.element);
      view.show();
    } catch (error) {
      fill(element, title(), h("p", { class: "bad", role: "alert" }, ...prose((error as Error).message)),
        h("p", {}, "It contains the editor and the checker; the other views work without it. ", h("button", { type: "button", class: "fix", onclick: show }, "Try again")));
    } finally {
      loading = false;
    }
  }
  return shown;
}
