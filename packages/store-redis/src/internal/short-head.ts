import { decodeField, encodeField } from "./encode-key-part.ts";

/** What divides the parts of a shortened head. JSON as it is written has no control character. */
const MARK = "\u0001";

/** A letter for each type whose entries are many. Part of the stored form: letters are never given to another type. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ["user_message", "u"],
  ["assistant_message", "a"],
  ["system_message", "s"],
  ["task", "t"],
  ["action", "c"],
  ["observation", "o"],
  ["final", "f"],
  ["attachment", "h"],
]);

const TYPES: ReadonlyMap<string, string> = new Map([...LETTERS].map(([type, one]) => [one, type]));

/** How the JSON of an entry begins, as `encodeEntry` writes it. */
const HEAD = /^\{"v":1,"type":"([a-z_]+)","id":"([^"\\]*)","createdAtMs":(0|[1-9]\d{0,14}),/;

/** A text in two parts: what was shortened, and the rest as it was. */
export interface ShortenedText {
  readonly head: string;
  readonly rest: string;
}

/**
 * Shortens how the JSON of an entry begins: version, type, id and time, which take half the room of a short message. What begins otherwise stays as
 * it is.
 *
 * @param field - The entry's id as `encodeField` gives it, where it is known.
 */
export function shortenHead(json: string, field?: string): ShortenedText {
  const [whole = "", type = "", id = "", time = ""] = HEAD.exec(json) ?? [];
  const letter = LETTERS.get(type);
  if (letter === undefined) return { head: "", rest: json };
  const head = `${MARK}${letter}${field ?? encodeField(id)}${MARK}${Number(time).toString(36)}${MARK}`;
  return { head, rest: json.slice(whole.length) };
}

/** Returns the JSON that was shortened; an empty text where it is neither that nor JSON. */
export function restoreHead(text: string): string {
  if (!text.startsWith(MARK)) return text;
  const [, head = "", time = "", ...others] = text.split(MARK, 4);
  const type = TYPES.get(head.slice(0, 1));
  const createdAtMs = Number.parseInt(time, 36);
  if (type === undefined || others.length === 0 || Number.isNaN(createdAtMs)) return "";
  const rest = text.slice(head.length + time.length + 3);
  const id = idOf(head.slice(1));
  if (id === undefined) return "";
  return `{"v":1,"type":"${type}","id":"${id}","createdAtMs":${createdAtMs},${rest}`;
}

function idOf(field: string): string | undefined {
  try {
    return decodeField(field);
  } catch {
    return undefined;
  }
}
