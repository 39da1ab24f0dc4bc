import type { ExpectedVersion } from "@agent-history/core";
import { MAX_NAME_LENGTH, throwIfAborted } from "@agent-history/core";

import { invalidOption, notSent, tooLarge } from "./store-errors.ts";
import type { StoreHandle } from "./thread-access.ts";

/** A check of a value, and its description for error messages. */
type Rule = readonly [expected: string, isMet: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === "string";
const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isSignal = (value: unknown): value is AbortSignal => isObject(value) && "aborted" in value;
const isCount = (value: unknown): boolean =>
  value === Infinity || (Number.isInteger(value) && Number(value) >= 0);

const isFlag = (value: unknown): boolean => typeof value === "boolean";

const VERSION_WORDS: ReadonlySet<unknown> = new Set<ExpectedVersion>(["none", "exists", "any"]);

/** Rules for parameters and options: description, check, and the names that the rule applies to. */
const KINDS: readonly (readonly [...Rule, names: string])[] = [
  ["a string", isText, "key prefix cursor"],
  ["a non-empty string", isFilled, "threadId user operationId view under"],
  [
    "a non-empty string without `/`",
    (value) => isFilled(value) && !String(value).includes("/"),
    "as",
  ],
  ["the id of an entry of the thread", isText, "summaryId from at"],
  ["an object", isObject, "change options query summary"],
  ["an array", Array.isArray, "entries replacement covers"],
  ["a list of ids of entries", (value) => Array.isArray(value) && value.every(isFilled), "ids"],
  [
    "pieces of text",
    (value) =>
      isText(value) ||
      (isObject(value) && (Symbol.asyncIterator in value || Symbol.iterator in value)),
    "text",
  ],
  [
    "true or false",
    isFlag,
    "originals newestFirst withoutForks includeForks dryRun keepPinned afterDelete",
  ],
  ["a non-negative integer or Infinity", isCount, "limit idleMs maxEntries"],
  ["a revision as a number", Number.isInteger, "expectedViewRevision expectedRevision"],
  [
    '"none", "exists", "any" or a version as a number',
    (value) => VERSION_WORDS.has(value) || Number.isInteger(value),
    "expectedVersion",
  ],
  ["a Map of counts by counter id", (value) => value instanceof Map, "tokens"],
  ["a time in milliseconds", Number.isFinite, "idleSinceMs"],
  ["a function", (value) => typeof value === "function", "archive"],
  ["an AbortSignal", isSignal, "signal"],
];

const RULES: ReadonlyMap<string, Rule> = new Map(
  KINDS.flatMap(([expected, isMet, names]) =>
    names.split(" ").map((name) => [name, [expected, isMet]] as const),
  ),
);

/** Parameters of methods; all others take `threadId` only. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  append: ["threadId", "entries"],
  expand: ["threadId", "summaryId"],
  getState: ["threadId", "key"],
  setState: ["threadId", "key", "value"],
  setMetadata: ["threadId", "change"],
  eraseUser: ["user"],
  eraseEntries: ["threadId", "ids"],
  importThread: ["threadId", "text"],
  list: [],
  sweep: [],
  ping: [],
  describe: [],
  settled: [],
};

/** Required options of methods. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  replaceSuffix: ["from", "expectedVersion", "replacement", "operationId"],
  commitCompaction: ["view", "summary", "covers", "expectedViewRevision"],
  setState: ["expectedRevision"],
  fork: ["at", "as"],
};

/** Parameters and options with a length limit. */
const NAMES: ReadonlySet<string> = new Set(["threadId", "key", "operationId"]);

/**
 * Checks a call: the store must be open, values must have the right types, and the signal must not have fired. Returns the signal. Methods check the meaning of the values.
 *
 * @throws `HistoryError` with code `STORE_UNAVAILABLE`, `INVALID_OPTION`, `TOO_LARGE`, `ABORTED`.
 */
export function requireCall(
  { isClosed }: StoreHandle["own"],
  verb: string,
  given: readonly unknown[],
): AbortSignal | undefined {
  if (isClosed) throw notSent("closed", "The store is closed. Nothing was done; open another.");
  const parameters = PARAMETERS[verb] ?? ["threadId"];
  for (const [nth, name] of parameters.entries()) requireValue(name, given[nth]);
  const needed = NEEDED[verb] ?? [];
  const options = given[parameters.length];
  if (options === undefined && needed.length === 0) return undefined;
  requireValue("options", options);
  const values: Readonly<Record<string, unknown>> = Object(options);
  for (const name of needed) requireValue(name, values[name]);
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) requireValue(name, value);
  const { signal } = values;
  if (!isSignal(signal)) return undefined;
  throwIfAborted(signal);
  return signal;
}

function requireValue(name: string, value: unknown): void {
  const rule = RULES.get(name);
  if (rule !== undefined && !rule[1](value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    const other = value === "" ? "an empty string" : `a value of type ${kind}`;
    const received = typeof value === "number" ? `the number ${value}` : other;
    throw invalidOption(
      name,
      `Expected \`${name}\` to be ${rule[0]}; got ${received}. Nothing was sent.`,
    );
  }
  if (!NAMES.has(name) || String(value).length <= MAX_NAME_LENGTH) return;
  const { length } = String(value);
  throw tooLarge(`characters in \`${name}\``, MAX_NAME_LENGTH, length, { option: name });
}
