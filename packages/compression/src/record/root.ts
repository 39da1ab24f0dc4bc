import { editedFiles } from "./calls.ts";
import { textAt } from "./json.ts";
import type { Call } from "./steps.ts";

/** The folder of the project that calls work in; empty where it cannot be told. */
export function projectRoot(calls: readonly Call[], previous: string): string {
  const edited = calls.flatMap((call) => editedFiles(call));
  const named = calls.map(({ args }) => textAt(args, "file_path", "path"));
  const isSame = (file: string): boolean => previous !== "" && file.startsWith(`${previous}/`);
  if ([...edited, ...named].some(isSame)) return previous;
  const folders = calls.map(({ args }) => textAt(args, "workdir", "cwd")).filter(Boolean);
  return sharedFolder(edited) || usual(folders) || sharedFolder(named) || previous;
}

/** The folder that most calls run in. */
function usual(folders: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const folder of folders) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

/** The folder that absolute paths share; empty where it is none of a project. */
function sharedFolder(files: readonly string[]): string {
  const folders = files
    .filter((file) => file.startsWith("/"))
    .map((file) => file.split("/").slice(0, -1));
  const [first] = folders;
  if (first === undefined) return "";
  const shared = folders.reduce((common, folder) => {
    const end = common.findIndex((name, index) => name !== folder[index]);
    return end < 0 ? common : common.slice(0, end);
  }, first);
  return shared.length < 4 ? "" : shared.join("/");
}
