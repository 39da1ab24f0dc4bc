import { refused } from "./refused.ts";

/** The folder that all files of the memory tool are below. */
export const MEMORY_ROOT = "/memories";

const MAX_PATH_LENGTH = 1000;
// oxlint-disable-next-line no-control-regex -- that is what is refused
const UNSAFE = /[\u0000-\u001F\u007F\\]|\p{Surrogate}/u;

/**
 * Checks a path that a model wrote, and returns it without a slash at its end.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where it is not below `/memories`, or not plain: `..`, also encoded, empty names, control characters, backslashes.
 */
export function memoryPath(path: unknown): string {
  if (typeof path !== "string") throw refused("Expected a path.");
  const plain = path.replace(/\/$/, "");
  if (plain !== MEMORY_ROOT && !plain.startsWith(`${MEMORY_ROOT}/`)) {
    throw refused(`Path must start with ${MEMORY_ROOT}, got: ${path.slice(0, 100)}`);
  }
  const names = plain.slice(MEMORY_ROOT.length + 1).split("/");
  const isPlain =
    plain.length <= MAX_PATH_LENGTH &&
    !UNSAFE.test(plain) &&
    (plain === MEMORY_ROOT || names.every(isName));
  if (isPlain) return plain;
  throw refused(`Path ${path.slice(0, 100)} would escape ${MEMORY_ROOT} directory`);
}

/** The folders that a file stands in, below the root. */
export function foldersOf(path: string): readonly string[] {
  const names = path.slice(MEMORY_ROOT.length + 1).split("/");
  return names.slice(0, -1).map((_, at) => `${MEMORY_ROOT}/${names.slice(0, at + 1).join("/")}`);
}

function isName(name: string): boolean {
  const decoded = decode(name);
  return !["", ".", ".."].includes(decoded) && !decoded.includes("/") && !UNSAFE.test(decoded);
}

/** Percent signs are letters of a name, but for what a decoder further on would make of them. */
function decode(name: string): string {
  return name.replaceAll(/%(2e|2f|5c|00)/gi, (code) =>
    String.fromCodePoint(Number.parseInt(code.slice(1), 16)),
  );
}
