import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { startClock } from "../report/running-time.ts";
import { median } from "../report/statistics.ts";
import { timingOf } from "../report/take-turns.ts";
import type { Conversation, FitSystem } from "../systems/fit-system.ts";

/** What one system took for one history, in milliseconds. */
export interface FitFigures {
  readonly system: string;
  readonly messages: number;
  readonly windowTokens: number;
  /** The first fit, nothing counted yet. */
  readonly coldMs: number;
  /** A fit of the same history again, counts cached where the system can. The middle of several, and the fastest. */
  readonly warmMs: number;
  readonly warmMinMs: number;
  /**
   * A turn of four messages later, counted when they came where the system remembers counts, in a process that has made as many before. The middle of
   * several, the fastest, the mean.
   */
  readonly oneMoreTurnMs: number;
  readonly oneMoreTurnMinMs: number;
  readonly oneMoreTurnMeanMs: number;
  /** The middle of what a bare backward walk took for the same turns, right after each of them. */
  readonly bareTurnMs: number;
  /** The mean of the turns before, the first that the process made: much of their code is not compiled yet. */
  readonly firstTurnsMeanMs: number;
  /** Tokens that the tokenizer gave for the first fit, and for one more turn beyond the new messages; missing where the system estimates. */
  readonly tokenizedCold?: number;
  readonly tokenizedTurn?: number;
  /** How far the fits raised the peak of the process's memory, in megabytes. */
  readonly peakMb: number;
}

/** How often, and how long at most, one thing is measured. */
export interface Repeats {
  /** At least so many. */
  readonly repeats: number;
  /** Where they take longer than this together, no more than `repeats` are made. */
  readonly budgetMs: number;
}

/** Where a budget allows for more, no thing is repeated more often than that. */
const MOST_REPEATS = 1000;

interface FitTask {
  readonly messages: number;
  readonly windowTokens: number;
}

/** Measures one system on one history. Meant for a process of its own, so that memory and caches are its own. */
export async function fitOne(
  system: FitSystem,
  bare: FitSystem,
  { messages, windowTokens, ...often }: FitTask & Repeats,
): Promise<FitFigures> {
  const history = longHistory(messages);
  const open = (): Conversation => system.open(history, windowTokens);
  const conversation = open();
  const before = process.resourceUsage().maxRSS;
  const cold = await timeFit(conversation);
  const warm = await several(() => timeFit(conversation), often);
  const peakMb = (process.resourceUsage().maxRSS - before) / 1024;
  const openBare = (): Conversation => bare.open(history, windowTokens);
  const goOn = oneMoreTurn(conversation, { open, openBare, messages });
  const first = await several(goOn, often);
  const turns = await several(goOn, often);
  const again = timingOf(warm.map(({ ms }) => ms));
  const oneMore = timingOf(turns.map(({ ms }) => ms));
  const turnTokens = turns.flatMap(({ tokenized }) => tokenized ?? []);
  return {
    system: system.name,
    messages,
    windowTokens,
    coldMs: cold.ms,
    warmMs: again.medianMs,
    warmMinMs: again.minMs,
    oneMoreTurnMs: oneMore.medianMs,
    oneMoreTurnMinMs: oneMore.minMs,
    oneMoreTurnMeanMs: oneMore.meanMs,
    bareTurnMs: median(turns.map(({ bareMs }) => bareMs)),
    firstTurnsMeanMs: timingOf(first.map(({ ms }) => ms)).meanMs,
    ...(cold.tokenized !== undefined && { tokenizedCold: cold.tokenized }),
    ...(turnTokens.length > 0 && { tokenizedTurn: median(turnTokens) }),
    peakMb,
  };
}

/** Goes on by a turn at each call, with a bare walk beside it; before the history is a tenth longer than it was, both begin anew. */
function oneMoreTurn(
  first: Conversation,
  {
    open,
    openBare,
    messages,
  }: {
    readonly open: () => Conversation;
    readonly openBare: () => Conversation;
    readonly messages: number;
  },
): () => Promise<TimedFit & { readonly bareMs: number }> {
  const mostTurns = Math.max(5, Math.floor(messages / 40));
  const random = seededRandom(2);
  let conversation = first;
  let bare = openBare();
  let turns = 0;
  return async () => {
    if (turns % mostTurns === 0) {
      if (turns > 0) [conversation, bare] = [open(), openBare()];
      await conversation.fit();
      await bare.fit();
    }
    const added = ordinaryTurn(random, messages + turns);
    conversation.append(added);
    bare.append(added);
    turns += 1;
    const timed = await timeFit(conversation);
    const { ms: bareMs } = await timeFit(bare);
    return { ...timed, bareMs };
  };
}

interface TimedFit {
  readonly ms: number;
  /** Tokens that the tokenizer had to give for it. */
  readonly tokenized?: number;
}

async function timeFit(conversation: Conversation): Promise<TimedFit> {
  const before = conversation.tokenized?.();
  const clock = startClock();
  const fitted = conversation.fit();
  // Nothing is waited for that need not be: a microtask would be counted too.
  if (fitted instanceof Promise) await fitted;
  const ms = clock();
  const after = conversation.tokenized?.();
  return before === undefined || after === undefined ? { ms } : { ms, tokenized: after - before };
}

/** At least so many times, and as often again as the budget allows. */
async function several<Timed extends TimedFit>(
  work: () => Promise<Timed>,
  { repeats, budgetMs }: Repeats,
): Promise<readonly Timed[]> {
  const all: Timed[] = [];
  const start = performance.now();
  while (
    all.length < repeats ||
    (performance.now() - start < budgetMs && all.length < MOST_REPEATS)
  ) {
    all.push(await work());
  }
  return all;
}
