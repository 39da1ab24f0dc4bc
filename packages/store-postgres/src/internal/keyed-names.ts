import { rowKey } from "./row-key.ts";
import { threadCorrupt } from "./thread-errors.ts";

/** Gives the names back that were asked for by their keys. */
export function keyedNames(names: readonly string[]): (key: string | undefined) => string {
  const byKey = new Map(names.map((name) => [rowKey(name), name]));
  return (key) => {
    const name = byKey.get(key ?? "");
    if (name === undefined) throw threadCorrupt("key");
    return name;
  };
}
