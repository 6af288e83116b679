// Replaces `@codemirror/language` and `@lezer/common` in the bundle: the page's editor has no grammar, and no key of its key
// maps calls what needs one. bundle.mjs resolves both names to this file.
import type { EditorState } from "@codemirror/state";

/** The columns that Backspace removes from an indentation of blanks. */
export const getIndentUnit = (_state: EditorState) => 2;

const absent = (): never => {
  throw new Error("the editor has no grammar");
};
export const getIndentation = absent;
export const indentString = absent;
export const matchBrackets = absent;
export const syntaxTree = absent;
export const IndentContext = absent;
export const indentUnit = absent;
export const NodeProp = absent;
