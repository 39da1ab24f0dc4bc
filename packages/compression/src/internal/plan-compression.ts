import type {
  CompressionItem,
  CompressionProposal,
  CompressionSituation,
  CompressionSpan,
  Concept,
  HistoryEntry,
  SummaryModel,
  SummaryPart,
} from "@agent-history/core";

import type { NotNeededCause, Settings } from "../compress-options.ts";
import { isWaiting } from "../compression-state.ts";
import type { CompressionState } from "../compression-state.ts";
import { followedBy } from "../record/merge-parts.ts";
import { askModel, checkAnswer, orAborted } from "./ask-model.ts";
import { textOfEntry, unframeSummary } from "./data-text.ts";
import { showView, viewItems } from "./view-items.ts";

/** The planned spans; without any, the reason. */
export interface CompressionPlan {
  readonly strategy: string;
  readonly spans: readonly AllowedSpan[];
  readonly cause: NotNeededCause;
  /** The view's own entries, in order. */
  readonly members: readonly HistoryEntry[];
  /** Tokens of the coverable items. */
  readonly tokens: number;
}

/** Decides what becomes a summary. Only custom strategies call a model here. */
export async function planCompression(
  entries: readonly HistoryEntry[],
  settings: Settings,
  state: CompressionState,
  isJoined: boolean,
): Promise<CompressionPlan> {
  const { view, strategy, tokensOf } = settings;
  const { signal, trigger } = settings.options;
  const shown = showView(entries, view);
  const { members, items } = viewItems(shown, settings);
  const coverable = items.filter(({ isCoverable }) => isCoverable);
  const tokens = coverable.reduce((sum, item) => sum + item.tokens, 0);
  const none = { strategy: "none", spans: [], members, tokens };
  const situation = {
    view,
    entries: shown,
    members,
    get tokens(): number {
      return members.reduce((sum, entry) => sum + tokensOf(entry), 0);
    },
  };
  if (trigger !== undefined && !trigger(situation)) return { ...none, cause: "trigger" };
  if (coverable.every(({ isEarlierSummary }) => isEarlierSummary))
    return { ...none, cause: "nothing-to-cover" };
  if (isWaiting(state, members, tokensOf)) return { ...none, cause: "cooling-down" };
  const model = strategyModel(settings);
  const asked: CompressionSituation = {
    view,
    items,
    ...(model && { model }),
    ...(signal && { signal }),
  };
  const proposal = await orAborted(Promise.resolve(strategy(asked)), signal);
  const spans = allowedSpans(items, isJoined ? joined(proposal) : proposal);
  return { ...none, strategy: proposal.strategy ?? "custom", spans, cause: "strategy" };
}

/** Passes the summary model to strategies, with its timeout and retries. */
function strategyModel({ options, counter, policy }: Settings): SummaryModel | undefined {
  const { model } = options;
  if (model === undefined) return undefined;
  return (request) => {
    const { signal = options.signal, maxOutputTokens: maxTokens } = request;
    return askModel(model, { ...request, ...(signal && { signal }) }, policy, (answer) => {
      const problem = checkAnswer(answer, { counter, maxTokens });
      return problem === undefined ? { value: String(answer) } : { problem };
    });
  };
}

/** A span of a strategy, restricted to what the laws allow. */
export interface AllowedSpan {
  /** In the order of the view. */
  readonly covered: readonly HistoryEntry[];
  /** The items to read, without earlier summaries. Never without text. */
  readonly read: readonly HistoryEntry[];
  /** Whether an agent continues right after it. */
  readonly isContinued: boolean;
  /** The parts of the earlier summaries that it covers. */
  readonly previous: readonly SummaryPart[];
  /** Their text; empty without any. */
  readonly previousText: string;
  readonly concepts?: readonly Concept[];
  /** The summary, if already written; empty if dropped. */
  readonly text?: string;
  readonly tokens: number;
}

/** Restricts a proposal to coverable items, each once, in order. A span with nothing new to read is ignored unless it is written or dropped. */
function allowedSpans(
  items: readonly CompressionItem[],
  { spans }: CompressionProposal,
): readonly AllowedSpan[] {
  const indexes = new Map(items.map((item, index) => [item, index]));
  const taken = new Set<CompressionItem>();
  return spans.flatMap(({ covers, reads = covers, concepts, text, isDropped = false }) => {
    const inOrder = (some: readonly CompressionItem[]): readonly CompressionItem[] =>
      [...new Set(some)]
        .filter((item) => item.isCoverable && indexes.has(item) && !taken.has(item))
        .toSorted((one, other) => (indexes.get(one) ?? 0) - (indexes.get(other) ?? 0));
    const own = inOrder(covers);
    const covered = own.flatMap(({ entries }) => entries);
    const inSpan = new Set(own);
    const read = inOrder(reads)
      .filter((item) => inSpan.has(item) && !item.isEarlierSummary)
      .flatMap(({ entries }) => entries);
    const written = isDropped ? "" : text;
    // Without input, a model invents something.
    const isReadable = written !== undefined || read.some((entry) => textOfEntry(entry) !== "");
    const last = own.at(-1);
    if (last === undefined || !isReadable) return [];
    for (const item of own) taken.add(item);
    const next = items[(indexes.get(last) ?? 0) + 1]?.entries[0]?.type;
    return [
      {
        covered,
        read,
        tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
        isContinued: next !== undefined && next !== "user_message" && next !== "task",
        ...previousOf(covered),
        ...(concepts !== undefined && { concepts }),
        ...(written !== undefined && { text: written }),
      },
    ];
  });
}

/** The parts of earlier summaries in order. A summary without a record is one part. */
function previousOf(
  covered: readonly HistoryEntry[],
): Pick<AllowedSpan, "previous" | "previousText"> {
  const summaries = covered.filter((entry) => entry.type === "summary");
  const texts = summaries.map(({ content }) => unframeSummary(content));
  let previous: readonly SummaryPart[] = [];
  for (const [index, { id, parts }] of summaries.entries()) {
    const text = texts[index] ?? "";
    const own = parts ?? (text === "" ? [] : [{ kind: "earlier", key: id, text, at: 0 }]);
    previous = followedBy(previous, own);
  }
  return { previous, previousText: texts.join("\n") };
}

/** Joins all spans into one summary, because one message replaces old turns. */
function joined({ strategy, spans }: CompressionProposal): CompressionProposal {
  if (spans.length < 2) return { ...(strategy !== undefined && { strategy }), spans };
  const texts = spans.map(({ text, isDropped }) => (isDropped === true ? "" : text));
  const concepts = spans.find((span) => span.concepts !== undefined)?.concepts;
  const isWritten = texts.every((text) => text !== undefined);
  const one: CompressionSpan = {
    covers: spans.flatMap(({ covers }) => covers),
    reads: spans.flatMap(({ covers, reads = covers }, index) => (texts[index] === "" ? [] : reads)),
    ...(concepts !== undefined && { concepts }),
    ...(isWritten && { text: texts.filter((text) => text !== "").join("\n\n") }),
  };
  return { ...(strategy !== undefined && { strategy }), spans: [one] };
}
