import type { HistoryEntry } from "@agent-history/core";

import type { ReductionStep } from "../reduction-step.ts";

/** Makes the step that turns images and files of earlier turns into a line of text that says what was there. */
export function stubOldMedia(): ReductionStep {
  return {
    name: "stub-old-media",
    *propose({ items }) {
      for (const { entries, isOfThisTurn, isProtected } of items) {
        if (isOfThisTurn || isProtected) continue;
        for (const entry of entries.filter(hasMedia)) {
          const edit = { stubMedia: true } as const;
          yield { kind: "edit", entry, edit, reason: "media of an earlier turn" };
        }
      }
    },
  };
}

/** Returns whether an entry has an image or a file. */
export function hasMedia({ content }: { readonly content?: HistoryEntry["content"] }): boolean {
  return Array.isArray(content) && content.some(isMedia);
}

function isMedia({ type }: { readonly type?: unknown }): boolean {
  return type === "image" || type === "file";
}
