/** An object of a result: what it is, and what it says of it. */
export interface DataRecord {
  /** What kind of thing it is, in words: `flight`. */
  readonly label: string;
  /** What names it, where something does: `HAT170`. */
  readonly name?: string;
  /** What names the object that it is part of. */
  readonly parent?: string;
  readonly fields: readonly DataField[];
}

export interface DataField {
  /** The key in words: `last four`. */
  readonly key: string;
  readonly value: string;
}

const DEEPEST = 8;
const MOST_RECORDS = 400;
const MOST_FIELDS = 40;
const LONGEST_VALUE = 80;
/** Keys whose value names the object. */
const NAMES = /^(?:name|full_?name|code|key|title|path|file|email|slug)$/i;
const STRONG_NAMES = /(?:^|_|-)(?:id|number|uuid)$|[a-z]I[dD]$/i;

/**
 * Reads the objects of JSON data, the outer before the inner. An inner object without a name of its own is described with the
 * outer: its keys stand behind those of the outer. Bounded.
 *
 * @param named - What the data is about, by the call that asked for it.
 */
export function readRecords(
  data: unknown,
  named?: { readonly label: string; readonly name: string },
): readonly DataRecord[] {
  const records: DataRecord[] = [];
  visit(
    { value: data, label: named?.label ?? "result", ...(named && { name: named.name }) },
    records,
    0,
  );
  return records;
}

interface Seen {
  readonly value: unknown;
  readonly label: string;
  readonly name?: string;
  readonly parent?: string;
}

function visit({ value, label, name, parent }: Seen, records: DataRecord[], depth: number): void {
  if (records.length >= MOST_RECORDS || depth > DEEPEST) return;
  const above = parent === undefined ? {} : { parent };
  if (Array.isArray(value)) {
    for (const each of value) {
      if (isObject(each) || Array.isArray(each))
        visit({ value: each, label: singular(label), ...above }, records, depth + 1);
    }
    return;
  }
  if (!isObject(value)) return;
  const fields: DataField[] = [];
  const inner: Seen[] = [];
  addFields(fields, inner, "", value, 0);
  const own = ownName(fields, value, name !== undefined);
  const known = own?.value ?? name;
  const kind = own === undefined ? label : labelOf(own.key, label);
  const rest = fields.filter((field) => field !== own);
  if (rest.length > 0) {
    records.push({
      label: kind,
      ...(known !== undefined && { name: known }),
      ...above,
      fields: rest,
    });
  }
  for (const each of inner) {
    visit({ ...each, ...(known !== undefined && { parent: known }) }, records, depth + 1);
  }
}

function addFields(
  fields: DataField[],
  inner: Seen[],
  before: string,
  object: object,
  depth: number,
): void {
  for (const [key, value] of Object.entries(object)) {
    if (fields.length >= MOST_FIELDS) return;
    const said = nestedKey(before, spoken(key));
    if (isScalar(value)) addField(fields, said, value);
    else if (Array.isArray(value)) {
      if (value.some(isObject)) inner.push({ value, label: spoken(key) });
      else {
        const all = value.filter(isScalar).map(String).join(" and ");
        addField(fields, said, all);
      }
    } else if (isObject(value)) {
      const found = innerObjects(value, said, before.trim());
      if (found === undefined && depth < 3) addFields(fields, inner, `${said} `, value, depth + 1);
      for (const each of found ?? []) inner.push(each);
    }
  }
}

/** `first name` says that it is a name: the outer key is not repeated. */
function nestedKey(before: string, key: string): string {
  const outer = singular(before.trim());
  return outer !== "" && key.includes(outer) ? key : `${before}${key}`;
}

/** An object that has a name, or that names those in it; nothing where its fields belong to the outer. */
function innerObjects(value: object, key: string, before: string): readonly Seen[] | undefined {
  const isNamed = Object.entries(value).some(
    ([name, each]) => STRONG_NAMES.test(name) && isScalar(each),
  );
  if (isNamed) return [{ value, label: singular(before === "" ? key : before) }];
  const entries = Object.entries(value);
  const isMap = entries.length > 0 && entries.every(([, each]) => isObject(each));
  if (!isMap) return undefined;
  return entries.map(([name, each]) => ({ value: each, label: singular(key), name }));
}

function addField(fields: DataField[], key: string, value: string | number | boolean): void {
  const text = String(value);
  if (text === "" || text.length > LONGEST_VALUE * 2 || /[\n\r]/.test(text)) return;
  if (
    typeof value === "string" &&
    text.length > LONGEST_VALUE &&
    !/^[\w-]+(?: and [\w-]+)+$/.test(text)
  )
    return;
  fields.push({ key, value: text });
}

/** The field that names an object: an id before a name, which counts only where nothing else names it. */
function ownName(
  fields: readonly DataField[],
  object: object,
  isNamed: boolean,
): DataField | undefined {
  const own = Object.entries(object).filter(([, value]) => isScalar(value) && value !== "");
  const strong = own.find(([name]) => STRONG_NAMES.test(name));
  const [key] = strong ?? (isNamed ? undefined : own.find(([name]) => NAMES.test(name))) ?? [];
  return key === undefined ? undefined : fields.find((field) => field.key === spoken(key));
}

/** `flight number` names a flight; `id` alone says nothing of what it names. */
function labelOf(key: string, label: string): string {
  const kind = key.replace(/ ?(?:id|number|name|code|key|title|path|file|email|uuid|slug)$/i, "");
  return kind === "" ? label : kind;
}

/** A key as words. */
export function spoken(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
}

function singular(label: string): string {
  return label.replace(/ies$/, "y").replace(/(?<![su])s$/, "");
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
