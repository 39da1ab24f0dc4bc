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
