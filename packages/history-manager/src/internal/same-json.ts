/** Tells whether two JSON values are equal; the order of keys says nothing, and a key without a value is none. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  const left = statedKeys(one);
  const right = new Map(statedKeys(other));
  return (
    left.length === right.size && left.every(([key, value]) => sameJson(value, right.get(key)))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function statedKeys(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
