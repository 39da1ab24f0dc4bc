import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { median } from "../report/statistics.ts";
import type { Conversation, FitSystem } from "../systems/fit-system.ts";

/** What one system took for one history, in milliseconds. */
export interface FitFigures {
  readonly system: string;
  readonly messages: number;
  readonly windowTokens: number;
  /** The first fit, nothing counted yet. */
  readonly coldMs: number;
  /** A fit of the same history again, counts cached where the system can. */
  readonly warmMs: number;
  /** A turn of four messages later. */
  readonly oneMoreTurnMs: number;
  /** Tokens that the tokeniser gave for the first fit, and for one more turn; missing where the system estimates. */
  readonly tokenisedCold?: number;
  readonly tokenisedTurn?: number;
  /** How much the process grew over what it was before, at its peak, in megabytes. */
  readonly peakMb: number;
}

/** How often, and how long at most, one thing is measured. */
export interface Repeats {
  /** At least so many. */
  readonly repeats: number;
  /** Where they take longer than this together, no more than `repeats` are made. */
  readonly budgetMs: number;
}

/** Measures one system on one history. Meant for a process of its own, so that memory and caches are its own. */
export async function fitOne(
  system: FitSystem,
  { messages, windowTokens }: { readonly messages: number; readonly windowTokens: number },
  { repeats, budgetMs }: Repeats,
): Promise<FitFigures> {
  const history = longHistory(messages);
  const conversation = system.open(history, windowTokens);
  const before = process.memoryUsage().rss;
  const tokenised = conversation.tokenised ?? ((): undefined => undefined);
  const alreadyCounted = tokenised() ?? 0;
  const coldMs = await timeFit(conversation);
  const tokenisedCold = tokenised();
  const warm = await several(() => timeFit(conversation), { repeats, budgetMs });
  const random = seededRandom(2);
  let turn = messages;
  const counted = tokenised() ?? 0;
  const turns = await several(
    () => {
      conversation.append(ordinaryTurn(random, (turn += 1)));
      return timeFit(conversation);
    },
    { repeats, budgetMs },
  );
  const tokenisedAll = tokenised();
  return {
    system: system.name,
    messages,
    windowTokens,
    coldMs,
    warmMs: median(warm),
    oneMoreTurnMs: median(turns),
    ...(tokenisedCold !== undefined && { tokenisedCold: tokenisedCold - alreadyCounted }),
    ...(tokenisedAll !== undefined && { tokenisedTurn: (tokenisedAll - counted) / turns.length }),
    peakMb: Math.max(0, process.resourceUsage().maxRSS / 1024 - before / 1024 / 1024),
  };
}

async function timeFit(conversation: Conversation): Promise<number> {
  const start = performance.now();
  const fitted = conversation.fit();
  // Nothing is waited for that need not be: a microtask would be counted too.
  if (fitted instanceof Promise) await fitted;
  return performance.now() - start;
}

/** At least so many times, and as often again as the budget allows, up to two hundred. */
async function several(
  work: () => Promise<number>,
  { repeats, budgetMs }: Repeats,
): Promise<readonly number[]> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < repeats || (performance.now() - start < budgetMs && times.length < 200)) {
    times.push(await work());
  }
  return times;
}
