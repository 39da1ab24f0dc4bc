/** Remembers each field of objects, and returns what tells whether all still say the same: one walk, nothing else. */
export function bareComparison(objects: readonly object[]): () => boolean {
  const leaves: unknown[] = [];
  for (const one of objects) remember(one, leaves);
  return () => {
    let at = 0;
    for (const one of objects) {
      at = compare(one, leaves, at);
      if (at < 0) return false;
    }
    return true;
  };
}

function remember(value: unknown, leaves: unknown[]): void {
  if (!isFields(value)) return void leaves.push(value);
  for (const key in value) {
    leaves.push(key);
    remember(value[key], leaves);
  }
}

/** Returns where the next object's fields begin; -1 where one differs. */
function compare(value: unknown, leaves: readonly unknown[], from: number): number {
  if (!isFields(value)) return value === leaves[from] ? from + 1 : -1;
  let at = from;
  for (const key in value) {
    if (leaves[at] !== key) return -1;
    at = compare(value[key], leaves, at + 1);
    if (at < 0) return -1;
  }
  return at;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
