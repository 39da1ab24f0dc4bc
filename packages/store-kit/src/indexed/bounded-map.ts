/** A map that forgets what was not used for longest. */
export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
}

/** Makes a map of at most `size` entries. */
export function boundedMap<Value>(size: number): BoundedMap<Value> {
  const values = new Map<string, Value>();

  function get(key: string): Value | undefined {
    const value = values.get(key);
    if (value === undefined) return undefined;
    values.delete(key);
    values.set(key, value);
    return value;
  }

  function set(key: string, value: Value): void {
    values.delete(key);
    values.set(key, value);
    if (values.size <= size) return;
    for (const oldest of values.keys()) {
      values.delete(oldest);
      return;
    }
  }

  return { get, set, delete: (key) => void values.delete(key) };
}
