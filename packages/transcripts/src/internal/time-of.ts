import type { JsonValue } from "@agent-history/core";

/** Reads an instant: ISO text or epoch milliseconds; `undefined` for anything else. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}
