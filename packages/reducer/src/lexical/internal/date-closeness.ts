import type { MentionedDate } from "./mentioned-dates.ts";

const DAY_MS = 86_400_000;

/** People tell of a thing within about a week. */
const FADE_MS = 7 * DAY_MS;

/** Tells how close an instant is to a date: 1 within it, fading over the weeks before and after. Days are those of UTC. */
export function dateCloseness(date: MentionedDate, instantMs: number): number {
  const year = date.year ?? new Date(instantMs).getUTCFullYear();
  const firstMs = Date.UTC(year, (date.month ?? 1) - 1, date.day ?? 1);
  const gapMs = Math.max(0, firstMs - instantMs, instantMs - endMs(year, date));
  return Number.isFinite(gapMs) ? Math.exp(-gapMs / FADE_MS) : 0;
}

/** The first instant after the date. */
function endMs(year: number, { month, day }: MentionedDate): number {
  if (month === undefined) return Date.UTC(year + 1, 0);
  return day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1);
}
