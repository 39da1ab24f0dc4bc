/** A day, a month or a year that a text mentions; a day or month of any year where it says none. */
export interface MentionedDate {
  readonly year?: number;
  /** From 1. */
  readonly month?: number;
  /** From 1; only with a month. */
  readonly day?: number;
}

/** What {@link mentionedDates} finds. */
export interface MentionedDates {
  /** The fuller forms first. */
  readonly dates: readonly MentionedDate[];
  /** The text, with a space instead of each. */
  readonly rest: string;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(?<year>(?:19|20)\\d\\d)";

/** Each form once, the fuller before the barer; what one takes is not seen by the next. */
const FORMS: readonly RegExp[] = [
  `${YEAR}-(?<month>\\d{1,2})(?:-(?<day>\\d{1,2}))?(?!\\d)`,
  `${YEAR}年(?:(?<month>\\d{1,2})月(?:(?<day>\\d{1,2})日)?)?`,
  `\\b${DAY}(?:\\s+of)?\\s+(?<month>${MONTH})\\b\\.?(?:,?\\s+${YEAR}\\b)?`,
  `\\b(?<month>${MONTH})\\.?\\s+${DAY}\\b(?:,?\\s+${YEAR}\\b)?`,
  `\\b(?<month>${MONTH})\\b\\.?,?(?:\\s+of)?\\s+${YEAR}\\b`,
  // Alone, "may" and "march" are months only where a word before says so.
  `\\b(?:in|of|since|until|by|before|after|during|early|late|mid|last|this|next)\\s+(?<month>${MONTH})\\b`,
  `\\b${YEAR}\\b`,
].map((form) => new RegExp(form, "giu"));

/** Finds the dates that a text mentions, in English, ISO 8601 or with 年月日, and what is left of the text without them. */
export function mentionedDates(text: string): MentionedDates {
  let rest = text;
  const dates = FORMS.flatMap((form) => {
    const found = Array.from(rest.matchAll(form), ({ groups }) => dateOf(groups ?? {}));
    rest = rest.replace(form, " ");
    return found.filter((date) => date !== undefined);
  });
  return { dates, rest };
}

function dateOf(groups: Readonly<Record<string, string | undefined>>): MentionedDate | undefined {
  const { year, month, day } = groups;
  const monthNumber = month === undefined ? undefined : numberOfMonth(month);
  if (monthNumber !== undefined && (monthNumber < 1 || monthNumber > 12)) return undefined;
  if (day !== undefined && (Number(day) < 1 || Number(day) > 31)) return undefined;
  return {
    ...(year !== undefined && { year: Number(year) }),
    ...(monthNumber !== undefined && { month: monthNumber }),
    ...(day !== undefined && { day: Number(day) }),
  };
}

function numberOfMonth(month: string): number {
  const index = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  return index < 0 ? Number(month) : index + 1;
}

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
