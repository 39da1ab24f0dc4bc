import type { ForkedIndex } from "@agent-history/store-kit/indexed";

import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import { hashContents, indexContents, stageKeys } from "./stage-keys.ts";
import type { Field, KeyContents, StagedKeys } from "./stage-keys.ts";
import type { StoreContext } from "./store-context.ts";
import { encodeSummary } from "./stored-summary.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** What a fork shares, by the field of each entry: the id of a long thread with its position, the position of a short one with its entry. */
export interface SharedFields {
  readonly fields: ReadonlyMap<string, string>;
  /** The field of the last entry that is shared. */
  readonly last: string;
}

/** What a fork is made of. */
interface Prepared {
  readonly fork: ThreadLocation;
  readonly index: ForkedIndex;
  readonly shared: SharedFields;
  readonly isShort: boolean;
}

/** Writes what a fork owns under names that no thread has. */
export function prepareFork(
  context: StoreContext,
  operation: Operation,
  prepared: Prepared,
): Promise<StagedKeys> {
  return stageKeys(context, operation, prepared.fork, contentsOf(prepared));
}

function contentsOf({ fork, index, shared, isShort }: Prepared): readonly KeyContents[] {
  const { overlays, states } = index;
  const summaryIds = overlays.map(({ id }) => [encodeField(id), "s"] as const);
  const summaries = overlays.map(
    (one, order) => [encodeField(one.id), `${order + 1} ${encodeSummary(one)}`] as const,
  );
  const views = [...states].map(([view, state]) => [`s:${encodeField(view)}`, state] as const);
  function* ids(): Generator<Field, undefined> {
    yield* shared.fields;
    yield* summaryIds;
    return undefined;
  }
  return [
    ...hashContents(isShort ? fork.short : fork.ids, ids),
    ...hashContents(fork.overlays, () => summaries),
    ...hashContents(fork.views, () => views),
    ...(isShort ? [] : indexContents(fork, index)),
  ];
}
