import { count, dollars, percent, PRICE } from "../harness.ts";
import type { Measured, ResultTable, RunOptions } from "../harness.ts";
import { anthropic, responses } from "../reasoning/reasoning-talk.ts";
import { handWritten } from "../reasoning/reasoning-ways.ts";
import { runTalk } from "../reasoning/run-talk.ts";
import type { ReasoningFigures, Talk } from "../reasoning/run-talk.ts";
import { loadPeers } from "../systems/all-systems.ts";
import type { ReasoningWay, Trim } from "../systems/all-systems.ts";

const OURS = "agent-history";
const COMPACTING = "agent-history, provider's compaction (simulated)";
/** Peers read the whole conversation at each call: a thousand calls take minutes. */
const PEER_CALLS = 300;
const KINDS = ["tool loop", "chat"] as const;

/** Measures all ways on the same conversations, at a window of 8,000 tokens and, where it is named, of 20,000 and 100,000. */
export async function measureReasoning(options: RunOptions): Promise<Measured> {
  const { isQuick, isNamed, withPeers } = options;
  const calls = isQuick ? 100 : 1000;
  const peers = withPeers ? await (await loadPeers()).loadReasoningWays() : [];
  const figures: ReasoningFigures[] = [];
  for (const dialect of [anthropic, responses]) {
    const byHand = handWritten(dialect);
    const others = [...byHand, ...(dialect === anthropic ? peers : [])];
    const windows = isQuick || !isNamed ? [8000] : [8000, 20_000, 100_000];
    const talks = windows.flatMap((contextTokens) =>
      KINDS.map((kind): Talk => ({ dialect, kind, contextTokens, calls, share: 1 })),
    );
    for (const talk of talks) {
      const ours = await runTalk([OURS, () => dialect.ours(talk.contextTokens)], talk);
      figures.push(ours);
      const { compacting } = dialect;
      if (compacting !== undefined) {
        const open = (): Trim => compacting(talk.contextTokens);
        figures.push(await runTalk([COMPACTING, open], talk));
      }
      for (const way of others.filter(([name]) => isTried(name, talk))) {
        const sized = byHand.includes(way) ? talk : { ...talk, calls: Math.min(calls, PEER_CALLS) };
        figures.push(await runAsFull(way, sized, ours.fullLater));
      }
    }
  }
  const broken = figures.filter(
    ({ way, refused, unbound }) => way.startsWith(OURS) && refused + unbound > 0,
  );
  return {
    tables: reasoningTables(figures),
    broken: broken.map(
      ({ way, provider, kind, contextTokens, refused, unbound }) =>
        `${way}, ${provider}, ${kind} at ${contextTokens} tokens: ${refused} requests refused, ${unbound} with reasoning that is not valid.`,
    ),
  };
}

/** Large windows take minutes for each way: there the others are a sliding window and the provider's compaction. */
function isTried(name: string, { contextTokens }: Talk): boolean {
  return contextTokens <= 20_000 || name === "sliding window" || name.includes("simulated");
}

/** Runs a way with the limit at which it fills the window as ours does: in small windows a shorter run finds how much below its limit it stays. */
async function runAsFull(way: ReasoningWay, talk: Talk, full: number): Promise<ReasoningFigures> {
  if (talk.contextTokens > 20_000) return runTalk(way, { ...talk, share: full });
  const trial = await runTalk(way, { ...talk, calls: Math.min(200, talk.calls), share: full });
  const share = Math.min(1, full * Math.max(1, full / trial.fullLater));
  return runTalk(way, { ...talk, share });
}

const NOTE = `Conversations of which every call has reasoning, against servers of this repository that sign it as the providers document; no provider was called. Tool loop: one request, then only rounds; chat: a question, up to three rounds and an answer at each turn. Refused: requests that break a rule of the API. Not valid: requests with reasoning behind another prefix or a gap; Anthropic refuses these with a 400 unless a request asks to drop such blocks, as here, OpenAI drops them silently. Valid: blocks that the model reads, of all that were made; mean of the second half of the first 10, 100 and 1,000 calls. The other ways get the limit at which they fill the window as agent-history does, if they take one. The provider's compaction is simulated, by hand and through agent-history: a server of ours writes and signs a summary of 180 words; what that request costs is left out. Cost: input at $${PRICE.input} a million tokens, $${PRICE.cachedInput} for an unchanged prefix.`;

/** One table for each provider and window; each cell has the tool loop and the chat. */
function reasoningTables(figures: readonly ReasoningFigures[]): readonly ResultTable[] {
  const groups = Map.groupBy(
    figures,
    ({ provider, contextTokens }) => `${provider}, window of ${count(contextTokens)}`,
  );
  return [...groups].map(([title, some]) => ({
    title: `Reasoning kept, ${title}`,
    note: NOTE,
    head: ["way (tool loop / chat)", "calls", "refused", "not valid"].concat(
      ["valid after 10, 100 and 1,000 calls, tool loop", "the same, chat"],
      ["valid reasoning tokens", "lost per cut", "cost of 1,000 calls", "window full"],
    ),
    rows: [...Map.groupBy(some, ({ way }) => way)].map(([way, kinds]) => {
      const both = (cell: (one: ReasoningFigures) => string): string => kinds.map(cell).join(" / ");
      const valid = kinds.map(({ validShares }) => validShares.map(percent).join(", "));
      return [way, count(kinds[0]?.calls ?? 0)].concat(
        both((one) => count(one.refused)),
        both((one) => count(one.unbound)),
        valid,
        both((one) => count(one.validTokens)),
        both((one) => count(one.lostPerCut)),
        both(
          (one) => `$${((dollars(one.newTokens, one.cachedTokens) / one.calls) * 1000).toFixed(2)}`,
        ),
        both((one) => percent(one.full)),
      );
    }),
  }));
}
