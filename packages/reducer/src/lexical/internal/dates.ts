/** A day, month or year that a text mentions; without a year, the day or month of any year. */
export interface MentionedDate {
  readonly year?: number | undefined;
  /** From 1. */
  readonly month?: number | undefined;
  /** From 1; only with a month. */
  readonly day?: number | undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const MONTH =
  "(?<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\b\\.?";
const DAY = "\\b(?<day>[0-3]?\\d)(?:st|nd|rd|th)?";
const YEAR = "(?<year>(?:19|20)\\d\\d)";

/** Date formats, the most specific first; each match is removed before the next format is tried. */
const FORMS: readonly RegExp[] = [
  `${YEAR}[-年](?<month>0?[1-9]|1[0-2])(?:[-月](?<day>[0-3]?\\d))?(?!\\d)`,
  `${DAY}(?:\\s+of)?\\s+${MONTH}(?:,?\\s+${YEAR}\\b)?`,
  `\\b${MONTH}\\s+${DAY}\\b(?:,?\\s+${YEAR}\\b)?`,
  `\\b${MONTH},?(?:\\s+of)?\\s+${YEAR}\\b`,
  // Alone, "may" and "march" are months only after a word that indicates it.
  `\\b(?:in|of|since|until|by|before|after|during|early|late|mid|last|this|next)\\s+${MONTH}`,
  `\\b${YEAR}\\b`,
].map((form) => new RegExp(form, "giu"));

/** Maximum dates of a question. */
const MOST_DATES = 8;

/** Finds the first dates that a text mentions, in English, ISO 8601 or with 年月日. */
export function mentionedDates(text: string): readonly MentionedDate[] {
  let rest = text;
  const dates = FORMS.flatMap((form) => {
    const found = Array.from(rest.matchAll(form), ({ groups }) => dateOf(groups ?? {}));
    rest = rest.replace(form, " ");
    return found;
  });
  return dates.slice(0, MOST_DATES);
}

function dateOf({ year, month, day }: Readonly<Record<string, string | undefined>>): MentionedDate {
  const named = MONTHS.indexOf(month?.slice(0, 3).toLowerCase() ?? "") + 1;
  const numberOf = (text?: string): number | undefined => (text ? Number(text) : undefined);
  return { year: numberOf(year), month: named || numberOf(month), day: numberOf(day) };
}

/** People talk about an event within about a week. */
const FADE_MS = 7 * 86_400_000;

/** Returns how close an instant is to a date: 1 within it, decaying over the weeks before and after. Days are in UTC. */
export function dateCloseness({ year, month, day }: MentionedDate, instantMs: number): number {
  const of = year ?? new Date(instantMs).getUTCFullYear();
  const firstMs = Date.UTC(of, (month ?? 1) - 1, day ?? 1);
  const endMs =
    month === undefined || day === undefined
      ? Date.UTC(of, month ?? 12)
      : Date.UTC(of, month - 1, day + 1);
  const gapMs = Math.max(0, firstMs - instantMs, instantMs - endMs);
  return Number.isFinite(gapMs) ? Math.exp(-gapMs / FADE_MS) : 0;
}
