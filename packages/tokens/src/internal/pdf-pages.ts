/*! Inflates by fflate 0.8.3, MIT, Copyright © 2023 Arjun Barrett. */
import { Inflate } from "fflate/browser";

import { bytesOf } from "./encoded-bytes.ts";

/** What object streams may hold together: more is not looked at. */
const MOST_INFLATED = 2 ** 26;

/** Deflated bytes that are inflated at a time; each may give a thousand. */
const PIECE = 2 ** 14;

/**
 * Reads how many pages a PDF has: the leaves of its page tree; if some are out of sight, what the tree or the beginning of a linearized file
 * says; else its page objects. `undefined` if it is damaged, or encrypted together with its tree. Linear in its bytes.
 *
 * @param pdf - The file, a character for each byte.
 */
export function pdfPages(pdf: string): number | undefined {
  const objects = objectsOf(pdf);
  const roots = [...pdf.matchAll(/\/Root\s{0,9}(\d{1,9})\s{1,9}\d{1,5}\s{1,9}R/g)];
  const tree = found(objects.get(roots.at(-1)?.[1] ?? ""), /\/Pages\s{0,9}(\d{1,9})/) ?? "";
  const head = pdf.slice(0, 2048);
  const told =
    leavesOf(tree, objects) ??
    found(objects.get(tree), /\/Count\s{0,9}(\d{1,7})(?!\d)/) ??
    (head.includes("/Linearized") ? found(head, /\/N\s{0,9}(\d{1,7})/) : undefined) ??
    [...objects.values()].filter((one) => /\/Type\s{0,9}\/Page(?![A-Za-z])/.test(one)).length;
  return Number(told) > 0 ? Number(told) : undefined;
}

function found(text: string | undefined, pattern: RegExp): string | undefined {
  return pattern.exec(text ?? "")?.[1];
}

/** Counts the pages below a node; `undefined` if one cannot be seen. */
function leavesOf(tree: string, objects: ReadonlyMap<string, string>): number | undefined {
  const open = [tree];
  const seen = new Set<string>();
  let leaves = 0;
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = objects.get(name);
    if (node === undefined || seen.has(name)) return undefined;
    seen.add(name);
    const elsewhere = found(node, /\/Kids\s{0,9}(\d{1,9})/);
    const kids =
      elsewhere === undefined ? found(node, /\/Kids\s{0,9}\[([^\]]*)/) : objects.get(elsewhere);
    if (kids === undefined && /\/Type\s{0,9}\/Pages/.test(node)) return undefined;
    if (kids === undefined) leaves += 1;
    for (const [, kid = ""] of (kids ?? "").matchAll(/(\d{1,9})\s{1,9}\d{1,5}\s{1,9}R/g))
      open.push(kid);
  }
  return leaves;
}

/** Finds the dictionaries of all objects by their numbers, those in object streams too; of several with one number the last counts. */
function objectsOf(pdf: string): ReadonlyMap<string, string> {
  const objects = new Map<string, string>();
  const heads = [...pdf.matchAll(/(?<=^|[\r\n\s])(\d{1,9})\s{1,9}\d{1,5}\s{1,9}obj(?![a-z])/g)];
  let left = MOST_INFLATED;
  for (const [nth, head] of heads.entries()) {
    const body = pdf.slice(head.index + head[0].length, heads[nth + 1]?.index);
    const at = body.indexOf("stream");
    const dictionary = at < 0 ? body : body.slice(0, at);
    objects.set(head[1] ?? "", dictionary);
    if (at < 0 || !/\/Type\s{0,9}\/ObjStm/.test(dictionary)) continue;
    const from = at + "stream".length + (body[at + "stream".length] === "\r" ? 2 : 1);
    const packed = body.slice(from, body.lastIndexOf("endstream"));
    const text = dictionary.includes("/FlateDecode") ? inflated(packed, left) : packed;
    left -= text.length;
    unpack(text, dictionary, objects);
  }
  return objects;
}

/** An object stream begins with pairs of a number and a place. */
function unpack(text: string, dictionary: string, objects: Map<string, string>): void {
  const first = Number(found(dictionary, /\/First\s{0,9}(\d{1,9})/) ?? Infinity);
  if (first > text.length) return;
  const [head = ""] = /^(?:\s{0,9}\d{1,9}\b){0,99999}/.exec(text.slice(0, first)) ?? [];
  const numbers = head.match(/\d+/g) ?? [];
  for (let nth = 0; nth + 1 < numbers.length; nth += 2) {
    const end = numbers[nth + 3];
    const body = text.slice(
      first + Number(numbers[nth + 1]),
      end === undefined ? undefined : first + Number(end),
    );
    objects.set(numbers[nth] ?? "", body);
  }
}

/** Inflates as much as there may be; what is damaged gives what stands before. */
function inflated(packed: string, most: number): string {
  const decoder = new TextDecoder("latin1");
  const inflation = { text: [] as string[], length: 0 };
  // The two bytes of zlib's header.
  const bytes = bytesOf(packed).subarray(2);
  const stream = new Inflate((piece) => {
    inflation.text.push(decoder.decode(piece));
    inflation.length += piece.length;
  });
  try {
    for (let from = 0; from < bytes.length && inflation.length < most; from += PIECE) {
      stream.push(bytes.subarray(from, from + PIECE), from + PIECE >= bytes.length);
    }
  } catch {
    // Cut off, damaged or encrypted.
  }
  return inflation.text.join("");
}
