/** A change of a value in place, and the way back. */
export interface ChangeInPlace {
  readonly apply: () => void;
  readonly undo: () => void;
}

/**
 * Returns every single change of a value in place: each field replaced, removed, and one added, fields in another order; each item replaced, removed, added, and
 * two swapped; a byte, an address, an instant changed.
 */
export function changesInPlace(value: unknown): readonly ChangeInPlace[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return [...changesOfList(value), ...value.flatMap(changesInPlace)];
  if (value instanceof Uint8Array) return changesOfBytes(value);
  if (value instanceof ArrayBuffer) return changesOfBytes(new Uint8Array(value));
  if (value instanceof URL) {
    const { href } = value;
    return [{ apply: () => (value.hash = "#changed"), undo: () => (value.href = href) }];
  }
  return [...changesOfFields(value), ...Object.values(value).flatMap(changesInPlace)];
}

function changesOfBytes(bytes: Uint8Array): readonly ChangeInPlace[] {
  const turn = (): void => {
    bytes.set([255 - (bytes.at(-1) ?? 0)], bytes.length - 1);
  };
  return bytes.length === 0 ? [] : [{ apply: turn, undo: turn }];
}

function changesOfList(list: unknown[]): readonly ChangeInPlace[] {
  const before = [...list];
  const changed = [
    ...before.map((item, at) => before.with(at, otherThan(item))),
    ...(before.length > 0 ? [before.slice(0, -1)] : []),
    [...before, "added"],
    ...(before.length > 1 ? [[before[1], before[0], ...before.slice(2)]] : []),
  ];
  const become = (items: readonly unknown[]): void => {
    list.splice(0, list.length, ...items);
  };
  return changed.map((items) => ({ apply: () => become(items), undo: () => become(before) }));
}

type Field = readonly [key: string, value: unknown];

function changesOfFields(object: object): readonly ChangeInPlace[] {
  const before: readonly Field[] = Object.entries(object);
  const changed: readonly (readonly Field[])[] = [
    ...before.map(([key, value], at) => before.with(at, [key, otherThan(value)])),
    ...before.map((_, at) => before.toSpliced(at, 1)),
    [...before, ["added", "Added."]],
    ...(before.length > 1 ? [before.toReversed()] : []),
  ];
  const become = (fields: readonly Field[]): void => {
    for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
    // Not by assignment: a field may be called `__proto__`.
    for (const [key, value] of fields) {
      const field = { value, configurable: true, enumerable: true, writable: true };
      Object.defineProperty(object, key, field);
    }
  };
  return changed.map((fields) => ({ apply: () => become(fields), undo: () => become(before) }));
}

function otherThan(value: unknown): unknown {
  return typeof value === "string" ? `${value} Changed.` : "Changed.";
}
