// The findings as a list, with their fixes, and the explanation of an error code.
import { counted, fill, h, prose } from "../dom";
import { tables, type Finding, type Judged } from "../library";
import { more } from "../site";
import { value } from "../state";

type Fix = NonNullable<Finding["fix"]>;

export function showFindings(
  root: HTMLElement, judged: Judged, act: { go(finding: Finding): void; fix(fix: Fix): void; explain(code: string): void },
): void {
  const { findings, count, more: unread, error } = judged;
  if (error) return fill(root, h("h2", {}, "Not checked"), h("p", { class: "bad", role: "alert" }, ...prose(`${error}.`)));
  const all = unread ? `more than ${count}` : String(count);
  const title = count === 0 ? "No findings" : unread ? `More than ${counted(count, "finding")}` : counted(count, "finding");
  fill(root, h("h2", {}, title), ...findings.map((finding) => {
    const { fix } = finding;
    return h("article", { class: `finding ${finding.severity}` },
      h("p", {}, h("button", { type: "button", class: "go mono", title: "go there", onclick: () => act.go(finding) }, `${finding.line}:${finding.column}`), " ",
        h("button", { type: "button", class: "code mono", title: "explain", onclick: () => act.explain(finding.code) }, finding.code), " ", ...prose(finding.message)),
      finding.related && h("p", { class: "dim" }, `line ${finding.related.line}: `, ...prose(finding.related.message)),
      finding.help && h("p", { class: "help" }, ...prose(finding.help)),
      fix && h("p", {}, h("button", { type: "button", class: "fix", onclick: () => act.fix(fix) }, ...prose(`Fix: ${fix.title}${fix.applicability === "safe" ? "" : " (changes results or targets)"}`))));
  }), (findings.length < count || unread) && h("p", { class: "dim" }, `The first ${Math.min(findings.length, count)} of ${all}.${unread ? " The rest of the text is not read: it is probably not in this language." : ""}`));
}

/** Shows the explanation of the chosen error code. */
export function showCode(root: HTMLElement): void {
  const name = value("code");
  const code = tables().codes.find((c) => c.code === name.toUpperCase());
  root.hidden = name === "";
  if (!code) return fill(root, name && h("p", { class: "bad", role: "alert" }, `\u201c${name.slice(0, 20)}\u201d is not an error code.`));
  fill(root, h("h2", {}, code.code), ...code.page.split(/\n\s*\n/).map((text) => h("p", {}, ...prose(text))), h("p", {}, more(code.code, `More about ${code.code}`)));
}
