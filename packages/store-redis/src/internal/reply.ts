/** Reads a reply as a list; what is none is an empty one. */
export function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Reads a reply as a text; `undefined` where there is nothing. */
export function textOf(reply: unknown): string | undefined {
  if (typeof reply === "string") return reply;
  if (typeof reply === "number") return String(reply);
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : undefined;
}

/** Reads a reply as a whole number; 0 where there is nothing. */
export function numberOf(reply: unknown): number {
  return Number(textOf(reply) ?? 0);
}

/** Reads a field that a script counts with: a number of at most 15 digits, 0 where there is none; `undefined` where it is anything else. */
export function countOf(reply: unknown): number | undefined {
  const text = textOf(reply) ?? "0";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Reads a flat list of names and values, as `HGETALL` gives it. */
export function pairsOf(reply: unknown): readonly (readonly [name: string, value: string])[] {
  const list = listOf(reply);
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    pairs.push([textOf(list[index]) ?? "", textOf(list[index + 1]) ?? ""]);
  }
  return pairs;
}
