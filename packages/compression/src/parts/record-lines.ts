import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import { argumentTexts, commandOf } from "./argument-values.ts";
import { fileUses } from "./file-ledger.ts";
import { planIn } from "./open-lines.ts";
import type { ReadCall } from "./read-calls.ts";
import { readRecords, spoken } from "./read-records.ts";
import type { DataField, DataRecord } from "./read-records.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

const LONGEST_RESULT = 400_000;

/**
 * What results say of things, a line for each thing: `The flight HAT170 has date 2024-05-20 and price 152.` What is said twice of one
 * thing is described as it was last said. Linear.
 */
export function recordLines(calls: readonly ReadCall[]): readonly SummaryLine[] {
  const lines = new Map<string, SummaryLine>();
  for (const call of calls) {
    const index = call.resultIndex ?? call.index;
    for (const record of recordsOf(call)) {
      const line = recordLine(record, index);
      const known = lines.get(line.head);
      lines.delete(line.head);
      lines.set(line.head, known === undefined ? line : joinLines(known, line));
    }
  }
  return [...lines.values()];
}

/** Each result is asked for as a record, and whether it tells of its call. */
const remembered = new WeakMap<ReadCall, readonly DataRecord[]>();

function recordsOf(call: ReadCall): readonly DataRecord[] {
  const records = remembered.get(call) ?? readResult(call);
  remembered.set(call, records);
  return records;
}

function readResult({ result, args }: ReadCall): readonly DataRecord[] {
  if (result.length > LONGEST_RESULT || !/^\s*[[{]/.test(result)) return [];
  try {
    return withInner(readRecords(JSON.parse(result), namedBy(args)));
  } catch {
    return [];
  }
}

/** Puts what is part of a thing on its line: `flight HAT170 date 2024-05-20 price 152` is a field of its reservation. */
function withInner(records: readonly DataRecord[]): readonly DataRecord[] {
  const outer = new Map<string, DataRecord>();
  for (const record of records) {
    if (record.parent === undefined && record.name !== undefined) outer.set(record.name, record);
  }
  const isInner = ({ parent }: DataRecord): boolean => parent !== undefined && outer.has(parent);
  for (const record of records.filter(isInner)) {
    const above = outer.get(record.parent ?? "");
    if (above === undefined) continue;
    outer.set(record.parent ?? "", { ...above, fields: [...above.fields, asField(record)] });
  }
  return records
    .filter((record) => !isInner(record))
    .map((record) => outer.get(record.name ?? "") ?? record);
}

const MOST_INNER = 6;

/** Names come first, without their keys; beside fields that state facts, those that do not are left out. */
function asField({ label, name, fields }: DataRecord): DataField {
  const names = fields.filter(({ key }) => /\bname$/.test(key));
  const others = fields.filter((field) => !names.includes(field));
  const telling = others.filter(({ value }) => wordsOfText(value).size > 0);
  const shown = (telling.length > 0 ? telling : others).slice(0, MOST_INNER);
  const said = shown.map(({ key, value }) => `${key} ${value}`);
  const called = names.map(({ value }) => value);
  return {
    key: label,
    value: [...(name === undefined ? [] : [name]), ...called, ...said].join(" "),
  };
}

const NAMING = /(?:id|name|number|code)$/i;

/** What a call asked for: its one short argument that names something. */
function namedBy(args: unknown): { readonly label: string; readonly name: string } | undefined {
  const texts = argumentTexts(args).filter(({ value }) => isPlain(value));
  const found = texts.length === 1 ? texts[0] : texts.find(({ key }) => NAMING.test(key));
  if (found === undefined) return undefined;
  const label = spoken(found.key).replace(/ ?(?:id|name|number|code)$/, "");
  return { label: label === "" ? "result" : label, name: found.value };
}

/** The seconds of a time that has none. */
const WHOLE_MINUTE = /(?<=^\d{1,2}:\d{2}):00$/;

function recordLine({ label, name, parent, fields }: DataRecord, index: number): SummaryLine {
  const whose = parent === undefined ? "" : ` of ${parent}`;
  const head = quoteData(`The ${label}${name === undefined ? "" : ` ${name}`}${whose} has `);
  const says = wordsOfText(`${name ?? ""} ${parent ?? ""}`);
  const items = fields.map(({ key, value }): SummaryItem => {
    const text = quoteData(`${key} ${value.replace(WHOLE_MINUTE, "")}`);
    return { text, says: wordsOfText(value), worth: 0.02, index };
  });
  return { part: "records", head, joint: ", ", end: ".", says, items, isRecord: true };
}

/** The newer says what holds; what only the older says stays. */
function joinLines(older: SummaryLine, newer: SummaryLine): SummaryLine {
  const keyOf = (text: string): string => text.replace(/ \S+$/, "");
  const keys = new Set(newer.items.map(({ text }) => keyOf(text)));
  return {
    ...newer,
    items: [...newer.items, ...older.items.filter(({ text }) => !keys.has(keyOf(text)))],
  };
}

const LONGEST_VALUE = 60;
const MOST_VALUES = 16;

/** A line for each call that ran no command and named no file: those two have ledgers of their own. */
export function callLines(calls: readonly ReadCall[]): readonly SummaryLine[] {
  const lines = new Map<string, SummaryLine>();
  for (const call of calls) {
    if (commandOf(call.args) !== undefined || fileUses(call).length > 0) continue;
    if (planIn(call.args) !== undefined) continue;
    const values = argumentFields(call.args)
      .filter(({ value }) => isPlain(value))
      .slice(0, MOST_VALUES);
    if (call.text.trim() !== "" && call.args === undefined) continue;
    const failed = call.outcome !== undefined && call.outcome !== "success";
    if (!failed && isToldByResult(call, values)) continue;
    const says = new Set([...wordsOfText(call.name), call.name]);
    const done = failed ? "failed to call" : "called";
    const head = quoteData(`The agent ${done} ${call.name}${values.length === 0 ? "" : " with "}`);
    const items = values.map(({ key, value }): SummaryItem => {
      const text = quoteData(
        `${key === "" ? "" : `${spoken(key)} `}${/\s/.test(value) ? JSON.stringify(value) : value}`,
      );
      return { text, says: wordsOfText(value), worth: 0.05, index: call.index };
    });
    const none: SummaryItem = { text: "", says: new Set(), worth: 0.1, index: call.index };
    const id = `${head}${items.map(({ text }) => text).join()}`;
    lines.delete(id);
    lines.set(id, {
      part: "records",
      head,
      joint: ", ",
      end: ".",
      says,
      items: items.length === 0 ? [none] : items,
    });
  }
  return [...lines.values()];
}

/** Begins the name of what only looks something up. */
const LOOKUP =
  /^(?:get|find|search|list|read|look|fetch|show|describe|query|view|check)(?:[_A-Z-]|$)/;

/** Whether what was found says all that was asked for: then the record tells of the call. */
function isToldByResult(call: ReadCall, values: readonly { readonly value: string }[]): boolean {
  if (!LOOKUP.test(call.name) || values.length === 0) return false;
  const found = recordsOf(call).flatMap(({ name, fields }) => [
    name ?? "",
    ...fields.map(({ value }) => value),
  ]);
  const told = found.join("\n");
  return found.length > 0 && values.every(({ value }) => told.includes(value));
}

function isPlain(value: string): boolean {
  return value !== "" && value.length <= LONGEST_VALUE && !/\p{Cc}/u.test(value);
}

function argumentFields(
  args: unknown,
): readonly { readonly key: string; readonly value: string }[] {
  const found: { key: string; value: string }[] = [];
  const visit = (key: string, value: unknown, depth: number): void => {
    if (depth > 4 || found.length > MOST_VALUES) return;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      found.push({ key, value: String(value) });
    } else if (Array.isArray(value)) for (const each of value) visit(key, each, depth + 1);
    else if (typeof value === "object" && value !== null) {
      for (const [name, each] of Object.entries(value)) visit(name, each, depth + 1);
    }
  };
  visit("", args, 0);
  return found;
}
