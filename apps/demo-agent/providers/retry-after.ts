/** Reads from an answer's headers how long the server wants to be left alone, in milliseconds. */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (exact >= 0) return exact;
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const delayMs = Number.isNaN(seconds) ? Date.parse(text) - nowMs : seconds * 1000;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
