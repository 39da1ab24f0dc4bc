/**
 * Copies a value that can be stored and compared: JSON, `undefined` and bytes.
 *
 * @throws For anything else: dates, cycles, holes, hidden fields, accessors, classes, proxies, numbers that JSON does not have.
 */
export function plainCopy(value: unknown): unknown {
  // A proxy cannot be told from what it stands for, but this refuses it.
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
  // Every place, `length`, and nothing else.
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
