import { HistoryError } from "./history-error.ts";
import { MAX_NAME_LENGTH } from "./history-store.ts";

/** Metadata of a thread, as `list` returns it. Never part of a prompt. */
export interface ThreadMetadata {
  readonly threadId: string;
  readonly title?: string;
  /** The user who owns the thread; `list` finds threads by it. */
  readonly user?: string;
  readonly tags: readonly string[];
  /** When the thread was created, in milliseconds since 1970, by the clock of the store. */
  readonly createdAtMs: number;
  /** When its log or metadata last changed. Never decreases. */
  readonly updatedAtMs: number;
  readonly entryCount: number;
  /** Why the thread must not be erased, for example a legal hold: while it is set, every erasure fails with `THREAD_HELD`. */
  readonly hold?: string;
  /** It was created by `fork`. */
  readonly isFork?: true;
  /** Encrypted, and its key was destroyed or is unavailable: title, user, tags and hold are not shown. */
  readonly sealed?: "destroyed" | "unavailable";
}

/** A change of a thread's metadata. Fields that are missing or `undefined` stay. */
export interface MetadataChange {
  /** At most 2,000 characters (UTF-16 code units); `null` removes it. */
  readonly title?: string | null | undefined;
  /** 1 to 200 characters; `null` removes it. */
  readonly user?: string | null | undefined;
  /** 1 to 200 characters; `null` lifts it. */
  readonly hold?: string | null | undefined;
  /** Replaces all tags: at most 100, of 1 to 200 characters each. */
  readonly tags?: readonly string[] | undefined;
}

/** A checked change of metadata, without the fields that stay. */
export type SoundMetadata = {
  [Field in keyof MetadataChange]: Exclude<MetadataChange[Field], undefined>;
};

/** Most UTF-16 code units of a user's name and of a tag. */
const MAX_TAG_LENGTH = 200;
/** Most tags of a thread. */
const MAX_TAGS = 100;

/**
 * Checks a change of metadata; for authors of stores.
 *
 * @returns The change, without the fields that stay.
 * @throws `HistoryError` with code `INVALID_OPTION` if a value is of another type, or a user or a tag is empty; `TOO_LARGE` where one is too long or tags are too many.
 *
 * @example
 * ```ts
 * import { requireMetadata } from "@agent-history/core/schema";
 *
 * requireMetadata({ title: "Planets", user: undefined });
 * // => { title: "Planets" }
 * ```
 */
export function requireMetadata(change: MetadataChange): SoundMetadata {
  if (typeof change !== "object" || change === null) throw invalid("metadata", "an object");
  const { title, user, hold, tags } = change;
  for (const [option, value] of Object.entries({ title, user, hold })) {
    if (value === undefined || value === null || (option === "title" && value === "")) continue;
    if (!isName(value))
      throw invalid(option, `${option === "title" ? "a" : "a non-empty"} string or \`null\``);
    requireLength(option, value, option === "title" ? MAX_NAME_LENGTH : MAX_TAG_LENGTH);
  }
  if (tags !== undefined) {
    if (!Array.isArray(tags) || !tags.every(isName))
      throw invalid("tags", "an array of non-empty strings");
    if (tags.length > MAX_TAGS) throw tooLarge("tags", MAX_TAGS, tags.length);
    for (const tag of tags) requireLength("tags", tag, MAX_TAG_LENGTH);
  }
  return {
    ...(title !== undefined && { title }),
    ...(user !== undefined && { user }),
    ...(hold !== undefined && { hold }),
    ...(tags !== undefined && { tags: [...tags] }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function requireLength(option: string, { length }: string, most: number): void {
  if (length > most) throw tooLarge(option, most, length);
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}. Nothing was written.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}

function tooLarge(option: string, limit: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected at most ${limit} in \`${option}\`, got ${actual}. Nothing was written.`,
    { code: "TOO_LARGE", details: { option, limit, actual } },
  );
}
