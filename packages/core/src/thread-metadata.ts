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

/** Fewest and most UTF-16 code units of a user's name, a hold and a tag. */
const TAG = { least: 1, most: 200 };
/** Most tags of a thread. */
const MAX_TAGS = 100;

/**
 * Checks the name of a thread or of a key of state; for authors of stores.
 *
 * @param option - The option's name in the error. `threadId` may not be empty.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a string, or a thread's id is empty; `TOO_LARGE` where it has more than
 * {@link MAX_NAME_LENGTH} UTF-16 code units.
 *
 * @example
 * ```ts
 * import { requireName } from "@agent-history/core/schema";
 *
 * requireName("threadId", "thread-1");
 * ```
 */
export function requireName(option: "threadId" | "key", name: unknown): void {
  requireText(option, name, { least: option === "key" ? 0 : 1, most: MAX_NAME_LENGTH });
}

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
  const { title, user, hold, tags }: MetadataChange = change ?? invalid("metadata", "an object");
  requireText("title", title ?? "", { least: 0, most: MAX_NAME_LENGTH });
  for (const [option, name] of Object.entries({ user, hold })) requireText(option, name ?? " ");
  if (tags !== undefined) {
    if (!Array.isArray(tags)) invalid("tags", "an array");
    requireAtMost("tags", MAX_TAGS, tags.length);
    for (const tag of tags) requireText("tags", tag);
  }
  return {
    ...(title !== undefined && { title }),
    ...(user !== undefined && { user }),
    ...(hold !== undefined && { hold }),
    ...(tags !== undefined && { tags: [...tags] }),
  };
}

function requireText(option: string, text: unknown, { least, most } = TAG): void {
  if (typeof text !== "string" || text.length < least)
    return invalid(option, least === 0 ? "a string" : "a non-empty string");
  requireAtMost(option, most, text.length);
}

function requireAtMost(option: string, limit: number, actual: number): void {
  if (actual <= limit) return;
  throw new HistoryError(
    `Expected at most ${limit} in \`${option}\`, got ${actual}. Nothing was written.`,
    { code: "TOO_LARGE", details: { option, limit, actual } },
  );
}

function invalid(option: string, expected: string): never {
  throw new HistoryError(`Expected \`${option}\` to be ${expected}. Nothing was written.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
