import type { Result } from "./prompt.ts";

/** A package and its licence, as a note or a report says. */
export interface Finding {
  /** As `name@version`. */
  readonly name: string;
  readonly licence: string;
  /** The source that says so, as an answer cites it. */
  readonly source: string;
}

const PLAIN = /^(MIT|MIT-0|ISC|Apache-2\.0|0?BSD(-\d-Clause)?)$/;
const PERMISSIVE = /^(BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Zlib|Python-2\.0|WTFPL)$/;

/** Needs no second look. */
export const isPlain = (licence: string): boolean => PLAIN.test(licence);

/** Asks for no more than to be named; of alternatives one is enough. */
export function isPermissive(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, "").split(" OR ");
  return alternatives.some((one) => isPlain(one.trim()) || PERMISSIVE.test(one.trim()));
}

/** Reads notes (`#57 name@1.0.0: MIT`) and lines of reports (`MIT (2): name@1.0.0, other@2.0.0 [source7]`); of a package told twice, the last. */
export function findingsIn(text: string): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const [, name = "", licence = "", source = ""] of text.matchAll(NOTE)) {
    found.set(name, { name, licence, source });
  }
  for (const [, licence = "", list = ""] of text.matchAll(LIST)) {
    for (const [, name = "", source = ""] of list.matchAll(NAME)) {
      found.set(name, { name, licence, source });
    }
  }
  return [...found.values()];
}

const NOTE = /#\d+ (\S+@\S+): (.+?)(?: (\[source\d+\]))?(?= #\d+ |$)/gm;
/** A summary may quote several on one line, behind a label. */
const LIST = /([^\s:,-][^:,\n]*?) \(\d+\): ((?:\S+@[^\s,]+(?: \[source\d+\])?(?:, )?)+)/g;
const NAME = /(\S+@[^\s,]+)(?: (\[source\d+\]))?/g;

/** Writes a line for each licence, the most frequent first. */
export function linesOf(findings: readonly Finding[]): string {
  const byLicence = Map.groupBy(findings, ({ licence }) => licence);
  return [...byLicence]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([licence, group]) => {
      const names = group.map(({ name, source }) => {
        return source === "" || isPlain(licence) ? name : `${name} ${source}`;
      });
      return `${licence} (${group.length}): ${names.join(", ")}`;
    })
    .join("\n");
}

/** Notes what a file says: of a manifest the licence, of a text its length. */
export function noteOf({ tool, asked, text }: Result): string {
  const [source = ""] = /\[source\d+\]/.exec(text) ?? [];
  if (tool === "read_licence")
    return `${asked}: ${text.split("\n").length} lines were read ${source}`.trim();
  const field = (name: string): string | undefined =>
    new RegExp(String.raw`"${name}":\s*(?:\[?\s*\{\s*"type":\s*)?"([^"]*)"`).exec(text)?.[1];
  const licence = field("license") ?? field("licenses") ?? "none";
  return `#${asked} ${field("name")}@${field("version")}: ${licence} ${source}`.trim();
}
