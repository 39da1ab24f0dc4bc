import type { HistoryEntry } from "@agent-history/core";
import { HistoryError, MAX_NAME_LENGTH } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";

import { prepareBatch } from "./prepare-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

/** A replacement that was checked by itself. */
export interface PreparedReplacement {
  readonly from: string;
  readonly batch: PreparedBatch;
  readonly operation: { readonly id: string; readonly hash: string };
}

/**
 * Checks what `replaceSuffix` was called with, before anything is sent.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `from` or `operationId` is no text, or that is empty; `TOO_LARGE` where it is longer than a name
 * may be; and as `prepareBatch`.
 */
export function prepareReplacement(options: {
  readonly from: string;
  readonly operationId: string;
  readonly replacement: readonly HistoryEntry[];
  readonly tokens?: ReadonlyMap<string, readonly number[]>;
}): PreparedReplacement {
  const { from, operationId: id, replacement, tokens } = options;
  if (typeof from !== "string") throw invalid("from", "the id of an entry");
  if (typeof id !== "string" || id === "") throw invalid("operationId", "a non-empty string");
  if (id.length > MAX_NAME_LENGTH) {
    throw new HistoryError(
      `Expected at most ${MAX_NAME_LENGTH} characters in \`operationId\`, got ${id.length}. Nothing was sent.`,
      {
        code: "TOO_LARGE",
        details: { option: "operationId", limit: MAX_NAME_LENGTH, actual: id.length },
      },
    );
  }
  const batch = prepareBatch(replacement, { tokens });
  const content = batch.entries.map(({ json }): unknown => JSON.parse(json));
  return { from, batch, operation: { id, hash: contentHash([from, ...content]) } };
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
