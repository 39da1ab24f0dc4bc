import { HistoryError } from "@agent-history/core";
import type { JsonObject } from "@agent-history/core";
import { packBinary } from "@agent-history/format-kit";

/** A transaction, as it is stored and compared. */
export interface Transaction {
  readonly operationId: string;
  /** The items that the session must end with; empty if items are only added. */
  readonly expected: readonly JsonObject[];
  readonly items: readonly JsonObject[];
  /** The whole content; it differs for another transaction with the same id. */
  readonly said: JsonObject;
}

const FIELDS: ReadonlyMap<unknown, { readonly name: string; readonly lists: readonly string[] }> =
  new Map([
    ["append_items", { name: "append", lists: ["items"] }],
    ["replace_suffix", { name: "suffix", lists: ["expectedSuffix", "replacement"] }],
  ]);

/**
 * Reads the arguments of a transaction, each field only once.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` before anything is changed.
 */
export function readTransaction(args: unknown): Transaction {
  const { operationId, transaction } = envelopeOf(args);
  if (typeof operationId !== "string" || operationId.trim() === "") {
    throw invalid("Session history transaction operationId must be a non-empty string.");
  }
  if (typeof transaction !== "object" || transaction === null) {
    throw invalid("Session history transaction must be an object.");
  }
  const said = new Map(Object.entries(Object(copyOf(transaction))));
  const fields = FIELDS.get(said.get("type"));
  if (fields === undefined) throw invalid("Unsupported session history transaction type.");
  const lists = fields.lists.map((list) => said.get(list));
  if (said.size !== lists.length + 1 || !lists.every(Array.isArray)) {
    throw invalid(`Session history ${fields.name} transaction fields are invalid.`);
  }
  const [first = [], second] = lists.map((list) => packItems(list));
  return {
    operationId,
    expected: second === undefined ? [] : first,
    items: second ?? first,
    said: { type: String(said.get("type")), lists: lists.map((list) => [...packItems(list)]) },
  };
}

/** Converts items to their stored form. */
export function packItems(items: unknown): readonly JsonObject[] {
  const copy = copyOf(items);
  if (!Array.isArray(copy) || !copy.every(isItem)) throw invalid(UNSUPPORTED);
  return copy.map((item) => packBinary(item));
}

const UNSUPPORTED = "Session history transaction items contain invalid or unsupported data.";

function copyOf(value: unknown): unknown {
  try {
    return plainCopy(value);
  } catch {
    throw invalid(UNSUPPORTED);
  }
}

function isItem(item: unknown): item is object {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  return [Reflect.get(item, "type"), Reflect.get(item, "role")].some(
    (name) => typeof name === "string",
  );
}

function envelopeOf(args: unknown): {
  readonly operationId: unknown;
  readonly transaction: unknown;
} {
  try {
    const given = Object(args);
    return {
      operationId: Reflect.get(given, "operationId"),
      transaction: Reflect.get(given, "transaction"),
    };
  } catch {
    throw invalid("Session history transaction arguments are invalid.");
  }
}

/**
 * Copies a value that can be stored and compared: JSON, `undefined` and bytes.
 *
 * @throws For anything else: dates, cycles, holes, hidden fields, accessors, classes, proxies, numbers that JSON lacks.
 */
function plainCopy(value: unknown): unknown {
  // A proxy cannot be detected, but `structuredClone` refuses it.
  structuredClone(value);
  return copied(value, new Set());
}

function copied(value: unknown, above: Set<object>): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw unsupported();
  if (value === null || ["undefined", "string", "boolean", "number"].includes(typeof value)) {
    return value;
  }
  if (typeof value !== "object" || above.has(value)) throw unsupported();
  if (value instanceof Uint8Array) return new Uint8Array(value);
  above.add(value);
  const copy = Array.isArray(value) ? copiedList(value, above) : copiedFields(value, above);
  above.delete(value);
  return copy;
}

function copiedList(list: readonly unknown[], above: Set<object>): unknown[] {
  const keys = Reflect.ownKeys(list);
  // Only the indexes and `length`.
  if (keys.length !== list.length + 1 || !list.every((_, at) => keys[at] === `${at}`)) {
    throw unsupported();
  }
  return list.map((_, at) => copied(fieldOf(list, `${at}`), above));
}

function copiedFields(value: object, above: Set<object>): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unsupported();
  return Object.fromEntries(
    Reflect.ownKeys(value).map((key) => {
      if (typeof key !== "string") throw unsupported();
      return [key, copied(fieldOf(value, key), above)];
    }),
  );
}

function fieldOf(value: object, key: string): unknown {
  const field = Object.getOwnPropertyDescriptor(value, key);
  if (field?.enumerable !== true || !("value" in field)) throw unsupported();
  return field.value;
}

function unsupported(): Error {
  return new Error("unsupported");
}

/** Creates an error that does not quote the conversation. */
export function invalid(message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option: "session" } });
}
