import { HistoryError } from "@agent-history/core";
import type { Decision, HistoryEntry } from "@agent-history/core";

/**
 * Stands for entries of a view that were not read. Nobody can work with one unnoticed: a look at it throws, and is remembered, so that what
 * was made all the same is thrown away.
 */
export interface UnreadEntries {
  /**
   * Stands for a run of them in a list, of which only the ids at its ends are known. `before` names the entry that stands behind, for who wants to
   * read them.
   */
  readonly standIn: (
    laid: HistoryEntry[],
    start: number,
    run: UnreadRun,
    before: string | undefined,
  ) => void;
  readonly has: (entry: HistoryEntry) => boolean;
  /** Ends work that needs what was not read. */
  readonly look: (before?: string) => never;
  /** The first look at one of them: before which entry it stands. */
  readonly lookedAt: () => { readonly before: string | undefined } | undefined;
}

type UnreadRun = Pick<Decision, "from" | "to" | "entryCount">;

/** Begins without any. */
export function unreadEntries(): UnreadEntries {
  const made = new WeakSet<HistoryEntry>();
  let first: ReturnType<UnreadEntries["lookedAt"]>;
  let looks = 0;
  const look = (before?: string): never => {
    first ??= { before };
    throw new HistoryError("An entry that was not read was looked at.", { code: "ABORTED" });
  };
  const stand = (before: string | undefined, id?: string): HistoryEntry => {
    const lookAt = (): never => look(before);
    const unread = new Proxy<HistoryEntry>(ANSWER, {
      get: (_, field) => {
        if (field === "id" && id !== undefined) return id;
        if (first === undefined) lookAt();
        // Who goes on all the same, over entry after entry, finds now a question and now an answer, and so an end.
        looks += 1;
        const other: object = looks % 2 === 0 ? ANSWER : QUESTION;
        return Reflect.get(other, field);
      },
      has: lookAt,
      ownKeys: lookAt,
      getOwnPropertyDescriptor: lookAt,
      getPrototypeOf: lookAt,
      isExtensible: lookAt,
    });
    made.add(unread);
    return unread;
  };
  return {
    standIn: (laid, start, { from, to, entryCount }, before) => {
      const end = start + entryCount - 1;
      laid.fill(stand(before), start, end);
      laid[end] = stand(before, to);
      laid[start] = stand(before, from);
    },
    has: (entry) => made.has(entry),
    look,
    lookedAt: () => first,
  };
}

const EMPTY = { id: "history-manager/unread", createdAtMs: 0, content: "" } as const;
const QUESTION: HistoryEntry = { type: "user_message", ...EMPTY };
const ANSWER: HistoryEntry = { type: "assistant_message", ...EMPTY };
