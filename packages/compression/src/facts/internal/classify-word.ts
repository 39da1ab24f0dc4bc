import type { FactKind } from "../fact.ts";

/** A fact within a word, and where it begins there. */
export interface WordPart {
  readonly kind: FactKind;
  readonly text: string;
  readonly offset: number;
}

/**
 * Says what facts a word holds: itself, and those parts of it that others may name alone (the file of a path, what
 * stands before a colon). The word is short: the caller sees to it.
 */
export function classifyWord(word: string): readonly WordPart[] {
  const { text, offset } = trimWord(word);
  if (text === "") return [];
  const time = /^(\d{1,2}:\d{2}):00$/.exec(text)?.[1];
  if (time !== undefined) return [{ kind: "date", text: time, offset }];
  const kind = kindOf(text);
  const parts = splitWord(text, kind);
  const inner = parts.flatMap((part) =>
    classifyWord(part.text).map((found) => ({
      ...found,
      offset: found.offset + part.offset + offset,
    })),
  );
  return kind === undefined ? inner : [{ kind, text, offset }, ...inner];
}

const FILE_ENDINGS = new Set(
  "avi bak bash bat bin bz2 c cc cfg conf cpp cs css csv dart db doc docx env ex exe gif go gz h hpp htm html ico ini ipynb jar java jpeg jpg js json jsonl jsx kt less lock log lua md mdx mjs mov mp3 mp4 npy o parquet pdf php pkl pl png ppt pptx proto ps1 py pyc pyi pyx r rb rs rst sage scala scss sh so sql sqlite svg swift tar tex tgz toml ts tsv tsx txt vue wav webp whl xls xlsx xml yaml yml zip".split(
    " ",
  ),
);

/** Said with a slash, and no path. */
const NO_PATHS = new Set(["and/or", "he/she", "his/her", "him/her", "yes/no", "n/a", "w/o", "a/b"]);

function kindOf(text: string): FactKind | undefined {
  if (isTime(text)) return "date";
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) return "email";
  if (text.includes(":") || text.includes("@")) return undefined;
  if (text.includes("/")) return isPath(text) ? "path" : undefined;
  if (text.includes("~")) return undefined;
  if (/^v?\d+(?:\.\d+){2,}$/.test(text)) return "identifier";
  if (/^[$€£¥]?[+-]?\d+(?:\.\d+)?%?$/.test(text)) return isNumber(text) ? "number" : undefined;
  if (/[$€£¥%+]/.test(text)) return undefined;
  if (isFile(text)) return "file";
  return isIdentifier(text) ? "identifier" : undefined;
}

function isTime(text: string): boolean {
  return /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}\/\d{1,2}\/\d{2,4})$/.test(text);
}

function isNumber(text: string): boolean {
  return /\d.*\d/.test(text) || /^[$€£¥]|%$/.test(text);
}

function isPath(text: string): boolean {
  const parts = text.split("/").filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (text.startsWith("//") || parts.length === 0) return false;
  if (parts.length === 1) return /^(?:~|\.{1,2})?\/./.test(text) && /[A-Za-z]{2}/.test(text);
  return /\p{L}/u.test(text) && !NO_PATHS.has(text.toLowerCase());
}

function isFile(text: string): boolean {
  const dot = text.lastIndexOf(".");
  if (dot < 0 || !FILE_ENDINGS.has(text.slice(dot + 1).toLowerCase())) return false;
  return dot > 0 || text.length > 3;
}

/** Letters with digits, letters joined by `_`, an inner capital: what no one says by chance. */
function isIdentifier(text: string): boolean {
  if (text.length < 2) return false;
  if (/\p{L}_+[\p{L}\p{N}]|\p{N}_+\p{L}/u.test(text)) return true;
  if (/^[A-Z]+\d+$/.test(text)) return true;
  if (/\d/.test(text) && /\p{L}/u.test(text)) return text.length > 4;
  return /^[A-Za-z]+$/.test(text) && /[a-z][A-Z]/.test(text);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Where a word comes apart, the widest joint first: date and time, name and place, name and member. */
const JOINTS: readonly RegExp[] = [/(?<=^\d{4}-\d{2}-\d{2})T/g, /:/g, /\./g];

/** The parts of a word that may be facts of their own. */
function splitWord(
  text: string,
  kind: FactKind | undefined,
): readonly { readonly text: string; readonly offset: number }[] {
  if (kind === "path") {
    const slash = text.lastIndexOf("/") + 1;
    return slash < text.length ? [{ text: text.slice(slash), offset: slash }] : [];
  }
  if (kind === "date" || kind === "email" || kind === "number" || kind === "url") return [];
  if (UUID.test(text) || /^v?[\d.]+$/.test(text)) return [];
  const joint = JOINTS.find((each) => text.search(each) >= 0);
  if (joint !== undefined) return splitAt(text, joint);
  return splitAt(text, /[-/@~+%$]/g).filter((part) => /\d/.test(part.text));
}

function splitAt(
  text: string,
  joint: RegExp,
): readonly { readonly text: string; readonly offset: number }[] {
  const parts: { text: string; offset: number }[] = [];
  let from = 0;
  for (const match of text.matchAll(joint)) {
    parts.push({ text: text.slice(from, match.index), offset: from });
    from = match.index + match[0].length;
  }
  if (from === 0) return [];
  return [...parts, { text: text.slice(from), offset: from }];
}

/** Without the marks of a sentence at its ends; a dot before a name and a slash belong to it. */
function trimWord(word: string): { readonly text: string; readonly offset: number } {
  let start = 0;
  let end = word.length;
  while (end > start && ".:+-%@~".includes(word.charAt(end - 1))) {
    if (word.charAt(end - 1) === "%" && /\d/.test(word.charAt(end - 2))) break;
    end--;
  }
  while (start < end && ":+%@".includes(word.charAt(start))) start++;
  if (/^-+[^\d]|^--|^\.+[^\w/.]/.test(word.slice(start, end))) {
    while (start < end && "-.".includes(word.charAt(start))) start++;
  }
  return { text: word.slice(start, end), offset: start };
}
