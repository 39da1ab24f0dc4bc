import type { ForkedIndex } from "@agent-history/store-kit";

import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import { positionOf } from "./short-thread.ts";
import { hashContents, indexContents, stageKeys } from "./stage-keys.ts";
import type { KeyContents, StagedKeys } from "./stage-keys.ts";
import type { StoreContext } from "./store-context.ts";
import { encodeSummary } from "./stored-summary.ts";
import type { ThreadLocation } from "./tree-keys.ts";

/** The keys of a fork that wait under other names. */
export interface PreparedFork extends StagedKeys {
  readonly lastId: string;
}

/** What a fork is made of. */
interface Prepared {
  readonly fork: ThreadLocation;
  readonly index: ForkedIndex;
  /** Entry ids with their positions; of a short thread with the entries behind them. */
  readonly ids: readonly (readonly [field: string, value: string])[];
  readonly isShort: boolean;
}

/** Writes what a fork owns under names that no thread has. */
export async function prepareFork(
  context: StoreContext,
  operation: Operation,
  prepared: Prepared,
): Promise<PreparedFork> {
  const { fork, index, ids } = prepared;
  const lastId = ids.find(([, value]) => positionOf(value) === index.version - 1)?.[0] ?? "";
  const staged = await stageKeys(context, operation, fork, contentsOf(prepared));
  return { ...staged, lastId };
}

function contentsOf({ fork, index, ids, isShort }: Prepared): readonly KeyContents[] {
  const { overlays, states } = index;
  const summaryIds = overlays.map(({ id }) => [encodeField(id), "s"] as const);
  const summaries = overlays.map(
    (one, order) => [encodeField(one.id), `${order + 1} ${encodeSummary(one)}`] as const,
  );
  const views = [...states].map(([view, state]) => [`s:${encodeField(view)}`, state] as const);
  return [
    ...hashContents(isShort ? fork.short : fork.ids, [...ids, ...summaryIds]),
    ...hashContents(fork.overlays, summaries),
    ...hashContents(fork.views, views),
    ...(isShort ? [] : indexContents(fork, index)),
  ];
}
