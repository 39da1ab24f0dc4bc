import type { HistoryStore, StoredEntryProblem } from "@agent-history/core";
import { messageOfFact, repairProgram, runProgramAsync } from "@agent-history/store-kit/indexed";
import type { IndexRepair } from "@agent-history/store-kit/indexed";

import { REINDEX } from "../lua/reindex.ts";
import { encodeField } from "./encode-key-part.ts";
import type { Operation } from "./operation.ts";
import { listOf, numberOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import { MESSAGE_MARK } from "./short-thread.ts";
import { hashContents, indexContents, stageKeys } from "./stage-keys.ts";
import type { Field, KeyContents, StagedKeys } from "./stage-keys.ts";
import type { StoreContext } from "./store-context.ts";
import { threadReader } from "./thread-reader.ts";
import { countRetry } from "./trace-verb.ts";
import { locateThread, nameInTree } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { runWrite } from "./write-thread.ts";

/** Makes `verify` and `reindex`. */
export function verifyVerbs(
  context: StoreContext,
): Pick<HistoryStore, "verify"> & { readonly reindex: HistoryStore["verify"] } {
  return {
    verify: (threadId, { signal } = {}) =>
      runVerb(context, { verb: "verify", threadId, signal }, async ({ operation, counts }) => {
        const location = locateThread(context.namespace, threadId);
        const { problems } = await examine(context, operation, location);
        counts["agent_history.problems"] = problems.length;
        return problems;
      }),

    reindex: (threadId, { signal } = {}) =>
      runVerb(context, { verb: "reindex", threadId, signal }, async ({ operation, counts }) => {
        const location = locateThread(context.namespace, threadId);
        for (;;) {
          const found = await examine(context, operation, location);
          counts["agent_history.problems"] = found.problems.length;
          if (found.problems.length === 0 || found.repair === undefined) return found.problems;
          const { repair } = found;
          if (await writeIndex(context, operation, { location, found: { ...found, repair } })) {
            context.known.forget(threadId);
            return (await examine(context, operation, location)).problems;
          }
          countRetry();
        }
      }),
  };
}

/** A thread that was compared with its log. */
interface Examined {
  readonly problems: readonly StoredEntryProblem[];
  readonly repair: IndexRepair["repair"];
  readonly isShort: boolean;
  /** What meta said before anything else was read. */
  readonly meta: readonly (readonly [field: string, value: string])[];
}

/** The fields of meta that every change of the log or of the summaries changes. */
const META_FIELDS = ["v", "d", "l", "e", "k", "o", "h"] as const;

async function examine(
  context: StoreContext,
  operation: Operation,
  location: ThreadLocation,
): Promise<Examined> {
  const reply = await operation.read((signal) =>
    context.link.send(location.meta, ["HMGET", location.meta, ...META_FIELDS], signal),
  );
  const values = listOf(reply).map((value) => textOf(value) ?? "");
  const reader = threadReader(context, operation, location);
  const { problems, repair } = await runProgramAsync(repairProgram(), reader.answer);
  const found = reader.found();
  const sizes = await problemsOfKeys(context, operation, location, found?.entryCount ?? 0);
  return {
    problems: [...problems, ...sizes],
    repair,
    isShort: found?.short !== undefined,
    meta: META_FIELDS.map((field, nth) => [field, values[nth] ?? ""]),
  };
}

/** Compares the sizes of log and id map with what the thread says of itself. */
async function problemsOfKeys(
  { link }: StoreContext,
  operation: Operation,
  location: ThreadLocation,
  version: number,
): Promise<readonly StoredEntryProblem[]> {
  const [meta, rows, ids, short] = await operation.read((signal) =>
    Promise.all([
      link.send(location.meta, ["HMGET", location.meta, "n", "k"], signal),
      link.send(location.log, ["XLEN", location.log], signal),
      link.send(location.ids, ["HLEN", location.ids], signal),
      link.send(location.short, ["HLEN", location.short], signal),
    ]),
  );
  const problems: StoredEntryProblem[] = [];
  const [expected, summaries] = listOf(meta).map(numberOf);
  if (numberOf(rows) !== (expected ?? 0)) {
    problems.push(
      brokenKey(version, `Expected ${expected ?? 0} rows in the log, found ${numberOf(rows)}.`),
    );
  }
  const expectedIds = version + (summaries ?? 0);
  const foundIds = numberOf(ids) + numberOf(short);
  if (foundIds !== expectedIds) {
    problems.push(brokenKey(version, `Expected ${expectedIds} ids, found ${foundIds}.`));
  }
  return problems;
}

function brokenKey(position: number, reason: string): StoredEntryProblem {
  return { position, kind: "broken", reason };
}

type Repair = NonNullable<IndexRepair["repair"]>;

/** Prepares the whole index under other names, and puts it in place; `false` where the thread moved on meanwhile. */
async function writeIndex(
  context: StoreContext,
  operation: Operation,
  {
    location,
    found,
  }: { readonly location: ThreadLocation; readonly found: Examined & { readonly repair: Repair } },
): Promise<boolean> {
  const contents = found.isShort ? [] : longContents(location, found.repair);
  const staged = await stageKeys(context, operation, location, contents);
  const reply = await runWrite(context, operation, callOf(location, found, staged));
  context.known.forgetTree(location.tag);
  return textOf(listOf(reply)[0]) === "ok";
}

function longContents(
  location: ThreadLocation,
  { index, summaries }: Repair,
): readonly KeyContents[] {
  const messages = new Set([...index.facts.keys()].map(messageOfFact));
  function* ids(): Generator<Field, undefined> {
    for (const [position, id] of index.ids) {
      yield [encodeField(id), `${position}${messages.has(id) ? MESSAGE_MARK : ""}`];
    }
    for (const { id } of summaries) yield [encodeField(id), "s"];
    return undefined;
  }
  return [...hashContents(location.ids, ids), ...indexContents(location, index)];
}

function callOf(
  location: ThreadLocation,
  { meta, isShort, repair }: Examined & { readonly repair: Repair },
  { keys }: StagedKeys,
): Parameters<typeof runWrite>[2] {
  const views = [...repair.states].flatMap(([view, state]) => {
    const summaries = repair.summaries.filter((one) => one.view === view).length;
    return [encodeField(view), state, String(repair.replacements + summaries)];
  });
  return {
    script: REINDEX,
    keys: [
      location.meta,
      location.views,
      location.tree,
      ...keys.flatMap(({ staged, key }) => [staged, key]),
    ],
    args: [
      String(meta.length),
      ...meta.flat(),
      isShort ? "" : repair.head,
      String(repair.states.size),
      ...views,
      ...keys.map(({ key }) => nameInTree(location, key)),
    ],
  };
}
