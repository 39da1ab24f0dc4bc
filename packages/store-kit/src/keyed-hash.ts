const encoder = new TextEncoder();

/**
 * Makes a hash of JSON values that says nothing of them to anyone without the key: HMAC-SHA-256, of which 128 bits are kept. The order of fields does not matter.
 */
export async function keyedHash(key: string): Promise<(value: unknown) => Promise<string>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, [
    "sign",
  ]);
  return async (value) => {
    const text = JSON.stringify(value, inOrder);
    const bytes = await crypto.subtle.sign("HMAC", secret, encoder.encode(text));
    return Array.from(new Uint8Array(bytes, 0, 16), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
  };
}

/** 128 random bits. */
export function newKey(): string {
  return crypto.randomUUID();
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
