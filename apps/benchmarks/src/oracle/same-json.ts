/** Tells whether two values of plain data say the same, whatever the order of their fields. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  const [keys, others] = [definedKeys(one), definedKeys(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === others.length &&
    keys.every((key) => sameJson(Reflect.get(one, key), Reflect.get(other, key)))
  );
}

function definedKeys(value: object): readonly string[] {
  return Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined);
}
