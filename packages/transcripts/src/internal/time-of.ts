import type { JsonValue } from "@agent-history/core";

/** Reads an instant: ISO text or epoch milliseconds; `undefined` for anything else, and for what no clock shows. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const time = new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}
