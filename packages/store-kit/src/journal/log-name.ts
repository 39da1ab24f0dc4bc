/**
 * Names the log of a thread: small letters, digits, `-`, `_` and `.`, at most 200 characters, so that it is a file's name on every system. Two threads never
 * have one name, also where a file system does not distinguish capital letters.
 */
export async function logNameOf(threadId: string): Promise<string> {
  const name = PLAIN + threadId.replace(UNSAFE, (unit) => `.${hex(unit.charCodeAt(0), 4)}`);
  if (name.length <= MAX_NAME_LENGTH) return name;
  const units = Uint16Array.from({ length: threadId.length }, (_, at) => threadId.charCodeAt(at));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", units));
  return LONG + Array.from(digest, (byte) => hex(byte, 2)).join("");
}

/** Gives the thread that a log is of; `undefined` where its first record must tell. */
export function threadOfLog(name: string): string | undefined {
  if (!name.startsWith(PLAIN)) return undefined;
  return name
    .slice(PLAIN.length)
    .replace(/\.([0-9a-f]{4})/g, (_, unit: string) =>
      String.fromCharCode(Number.parseInt(unit, 16)),
    );
}

const PLAIN = "thread-";
const LONG = "long-";
const MAX_NAME_LENGTH = 200;

/** Every UTF-16 code unit that is not plain, half a pair too. */
const UNSAFE = /[^a-z0-9_-]/g;

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
