// Finds the command that is the language server.

import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The command to start: the one of the settings if it is a path, the one on the search path, or the one that is next to
 * the extension, in its folder `server`. If there is none, the name, so that the error names it. */
export function findServer(
  wanted: string, extension: string, path: string, windows: boolean, exists: (file: string) => boolean = existsSync,
): string {
  if (isAbsolute(wanted) || /[\\/]/.test(wanted)) return wanted;
  const file = windows && !wanted.endsWith(".exe") ? `${wanted}.exe` : wanted;
  const onPath = path.split(delimiter).some((folder) => folder !== "" && exists(join(folder, file)));
  const bundled = join(extension, "server", file);
  return !onPath && exists(bundled) ? bundled : wanted;
}
