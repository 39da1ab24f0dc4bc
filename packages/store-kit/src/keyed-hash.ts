const encoder = new TextEncoder();

/**
 * Makes a keyed hash function for JSON values: HMAC-SHA-256, truncated to 128 bits. Hashes reveal nothing without the key. The order of fields does not matter.
 */
export async function keyedHash(
  key: string | Uint8Array,
): Promise<(value: unknown) => Promise<string>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = typeof key === "string" ? encoder.encode(key) : new Uint8Array(key);
  const secret = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return async (value) => {
    const text = JSON.stringify(value, inOrder);
    const hash = await crypto.subtle.sign("HMAC", secret, encoder.encode(text));
    return Array.from(new Uint8Array(hash, 0, 16), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
  };
}

/** Makes a random key (a UUID, 122 random bits). */
export function newKey(): string {
  return crypto.randomUUID();
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
