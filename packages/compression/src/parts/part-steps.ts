import { isOnData } from "./all-lines.ts";
import { chooseInOrder, chooseItems } from "./choose-items.ts";
import type { ItemChoice, Offer } from "./choose-items.ts";
import type { Composition } from "./composition.ts";
import { offersOf } from "./item-offers.ts";
import type { SummaryLine, SummaryPart } from "./summary-line.ts";

/** What the first parts have of the cap at most; the rest goes to what adds most for its tokens. */
const EARLIER_SHARE = 0.5;
const USER_SHARE = 0.5;
/** Where users said more than fits, what they said has less: sentences of others tell of it too. */
const MUCH_SAID = 0.75;
const NEWEST_SHARE = 0.3;
const HEAD_TOKENS = 4;
const USER_SHARE_OF_MUCH = 0.18;
/** Files and names of code, where the work is on files; and files alone, where it is on data. */
const WORK_SHARE = 0.62;
const FILES_SHARE = 0.4;
/** Files by their last part alone are cheapest: the likeliest have a little in any case, in tokens a round. */
const OTHERS_TOKENS = 30;
/** Commits and links. */
const MADE_SHARE = 0.04;
const OTHERS_SHARE = 0.05;
/** Sentences of agents, what came of the work and why: of what a summary has beyond the tokens for names of files and code. */
const AGENT_SHARE = 0.3;
const TOKENS_OF_NAMES = 1500;
/** Parts that are chosen by themselves only. */
const APART: ReadonlySet<SummaryPart> = new Set(["user", "words", "others"]);
const WORDS_SHARE = 0.19;
/** Where there is room for nothing else, in tokens. */
const LEAST_WORDS = 12;
/** What one step of a round chooses from, in which order, and up to which share of the cap. */
export interface Step {
  readonly offers: readonly Offer[];
  readonly choose: typeof chooseItems;
  readonly share: number;
  /** What it has in any case, in tokens, where so much is left. */
  readonly least?: number;
  /** What it leaves for later steps, as a share. */
  readonly spared?: number;
}

/** The order of the parts under a cap: what comes first has its share, the rest competes by what it adds for its tokens. */
export function stepsOf(
  lines: readonly SummaryLine[],
  composition: Composition,
  choice: ItemChoice,
): readonly Step[] {
  const { maxTokens } = composition;
  const of = (...parts: readonly SummaryPart[]): readonly SummaryLine[] =>
    lines.filter(({ part }) => parts.includes(part));
  const offer = (some: readonly SummaryLine[]): readonly Offer[] =>
    offersOf(some, composition, choice);
  const own = of("user").filter((line) => !isEarlier(line));
  const user = wantedFirst(own, offer);
  const begun = user.filter(({ line, item }) => line.items[0] === item);
  const said = begun.reduce((sum, { tokens }) => sum + tokens, 0);
  const isData = isOnData(lines);
  const isMuch = isData || said > maxTokens * MUCH_SAID;
  // The newest message is begun in any case where its share of the cap has room for it.
  const newest = Math.min(maxTokens * NEWEST_SHARE, (begun[0]?.tokens ?? 0) + HEAD_TOKENS);
  const files = of("changed", "read", "mentioned");
  const rest = offer(lines.filter(({ part }) => !APART.has(part)));
  const words = offer(of("words"));
  const told = likeliestFirst(offer(of("agent")).filter(({ item }) => (item.chance ?? 0) > 0));
  const roomy = Math.max(0, 1 - TOKENS_OF_NAMES / maxTokens);
  const best = chooseItems;
  const inOrder = chooseInOrder;
  const others = offer(of("others"));
  const bareShare = isData ? WORDS_SHARE : 0;
  return [
    { offers: offer(lines.filter(isEarlier)), choose: best, share: EARLIER_SHARE },
    {
      offers: begun,
      choose: inOrder,
      share: isMuch ? USER_SHARE_OF_MUCH : USER_SHARE,
      least: newest,
    },
    { offers: told, choose: inOrder, share: AGENT_SHARE * roomy },
    { offers: offer(of("made")), choose: inOrder, share: MADE_SHARE },
    { offers: likeliestFirst(others), choose: inOrder, share: 0, least: OTHERS_TOKENS },
    {
      offers: likeliestFirst(offer(isData ? files : [...files, ...of("names")])),
      choose: inOrder,
      share: isData ? FILES_SHARE : WORK_SHARE,
    },
    { offers: others, choose: best, share: OTHERS_SHARE },
    { offers: rest, choose: best, share: 1, spared: bareShare },
    { offers: words, choose: best, share: bareShare },
    { offers: rest, choose: best, share: 1 },
    { offers: user, choose: inOrder, share: 1 },
    { offers: words, choose: best, share: WORDS_SHARE, least: LEAST_WORDS },
  ];
}

function isEarlier({ items }: SummaryLine): boolean {
  return (items[0]?.index ?? 0) < 0;
}

/** The beginning of the newest message, of the first, of the others from the newest; then the second piece of each, and so on. */
function wantedFirst(
  lines: readonly SummaryLine[],
  offer: (lines: readonly SummaryLine[]) => readonly Offer[],
): readonly Offer[] {
  const order = lines.toReversed();
  const first = order.pop();
  if (first !== undefined) order.splice(1, 0, first);
  const rank = new Map(order.map((line, index) => [line, index]));
  const pieceOf = ({ line, item }: Offer): number => line.items.indexOf(item);
  return offer(lines).toSorted(
    (one, other) =>
      pieceOf(one) - pieceOf(other) || (rank.get(one.line) ?? 0) - (rank.get(other.line) ?? 0),
  );
}

/** By the chance that an agent comes back to it, for its tokens; a long name is seldom said by chance. */
function likeliestFirst(offers: readonly Offer[]): readonly Offer[] {
  const scored = offers.map((offer) => {
    return { offer, score: (offer.item.chance ?? 0) / offer.tokens ** CHANCE_POWER };
  });
  return scored.toSorted((one, other) => other.score - one.score).map(({ offer }) => offer);
}

const CHANCE_POWER = 0.6;
