import { mentionedDates } from "./mentioned-dates.ts";

/** A bracket that a text begins with, or its first line. */
const HEADS = [/^\s*[[(](?<head>[^\])\n]{6,40})[\])]/u, /^\s*(?<head>[^\n]{6,60})(?:\n|$)/u];

/** How far a head reaches into a text, in characters. */
const HEAD_LENGTH = 120;

/** What may stand beside the date in a head: no letters but those of a clock, a weekday or a heading. */
const BESIDE =
  /^(?:[^\p{L}]|(?<!\p{L})(?:am|pm|at|on|of|the|is|date|day|today|time|session|conversation|chat|utc|gmt|t|z|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)(?!\p{L}))*$/iu;

/** Reads the day that a text is headed by, as transcripts are (`[1:56 pm on 8 May, 2023] Ann: …`), in epoch milliseconds. */
export function headDate(text: string): number | undefined {
  const beginning = text.slice(0, HEAD_LENGTH);
  for (const form of HEADS) {
    const day = dayOf(form.exec(beginning)?.groups?.["head"] ?? "");
    if (day !== undefined) return day;
  }
  return undefined;
}

function dayOf(head: string): number | undefined {
  // A year is written in digits: most heads are words, and read no further.
  if (!/\d/.test(head)) return undefined;
  const { dates, rest } = mentionedDates(head);
  const [date] = dates;
  if (date?.year === undefined || date.month === undefined || date.day === undefined)
    return undefined;
  return BESIDE.test(rest) ? Date.UTC(date.year, date.month - 1, date.day) : undefined;
}
