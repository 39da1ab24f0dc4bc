import type { JsonObject } from "@agent-history/core";
import { tokensIn } from "@agent-history/sdk-tests/servers/wire-tokens";

import { samePrefix } from "../harness.ts";
import { remembered } from "../messages/remembered.ts";
import type { ReasoningWay } from "../systems/all-systems.ts";
import { script } from "./reasoning-talk.ts";
import type { Dialect, TalkKind } from "./reasoning-talk.ts";

/** Calls after which is told how much is still valid. */
const AFTER: readonly number[] = [10, 100, 1000];

/** A conversation, and how much of the window may be used. */
export interface Talk {
  readonly dialect: Dialect;
  readonly kind: TalkKind;
  readonly contextTokens: number;
  readonly calls: number;
  readonly share: number;
}

/** What became of the reasoning of one conversation in one way. */
export interface ReasoningFigures {
  readonly way: string;
  readonly provider: string;
  readonly kind: TalkKind;
  readonly contextTokens: number;
  readonly calls: number;
  /** Requests that break a rule of the API, whatever of. */
  readonly refused: number;
  /** Requests with reasoning that is not valid where it stands. */
  readonly unbound: number;
  /** Blocks that are valid, of all made: means of the second half of the first 10, 100 and 1,000 calls. */
  readonly validShares: readonly number[];
  /** Tokens of valid reasoning in a request, mean. */
  readonly validTokens: number;
  /** Requests in which reasoning that was valid before is not any more, and its tokens, mean. */
  readonly cuts: number;
  readonly lostPerCut: number;
  readonly newTokens: number;
  readonly cachedTokens: number;
  /** Of the window, mean; and that of the second half of the calls. */
  readonly full: number;
  readonly fullLater: number;
}

/** Runs one conversation. Where a request is refused, the model thinks nothing, and the conversation goes on: all ways get the same one. */
export async function runTalk([way, open]: ReasoningWay, talk: Talk): Promise<ReasoningFigures> {
  const { dialect, kind, contextTokens, calls, share } = talk;
  const { pieces, countText, head } = weighing(dialect);
  const count = (message: JsonObject): number => totalOf(pieces(message));
  const trim = open({ limit: Math.floor(contextTokens * share) - head.tokens, count });
  const step = script(kind);
  const messages: JsonObject[] = [];
  const sum = { refused: 0, unbound: 0, cuts: 0, newTokens: 0, cachedTokens: 0 };
  const tokens = { valid: 0, lost: 0 };
  const shares: number[] = [];
  const fulls: number[] = [];
  let made = 0;
  let before: ReadonlySet<string> = new Set();
  let sentBefore: readonly Piece[] = [];
  for (let call = 0; call < calls; call += 1) {
    const { asks, result, reply } = step(call);
    if (asks !== undefined) messages.push(dialect.asks(asks));
    const sent = await trim(messages);
    const body = dialect.body(sent);
    const thoughts = dialect.wire.thoughts?.(body) ?? [];
    const isRefused = dialect.wire.problems(body).length > 0;
    const isValid = thoughts.map(({ fate }) => fate === "valid");
    const valid = new Set(thoughts.flatMap(({ text, fate }) => (fate === "valid" ? [text] : [])));
    const lost = [...before].filter((text) => !valid.has(text));
    const shown = [head, ...withoutDropped(sent.flatMap(pieces), isValid)];
    const cached = totalOf(samePrefix(sentBefore, shown, ({ json }) => json));
    sum.refused += Number(isRefused);
    sum.unbound += Number(thoughts.some(({ reason = "" }) => reason.startsWith("prefix")));
    tokens.valid += sumOf([...valid], countText);
    sum.cuts += Number(lost.length > 0);
    tokens.lost += sumOf(lost, countText);
    sum.cachedTokens += cached;
    sum.newTokens += totalOf(shown) - cached;
    fulls.push(totalOf(shown) / contextTokens);
    if (made > 0) shares.push(valid.size / made);
    made += Number(!isRefused);
    [before, sentBefore] = [valid, shown];
    const { thinking: _, ...said } = reply;
    const answer = dialect.wire.write(isRefused ? said : reply, `r${call}`, body);
    const results = (reply.calls ?? []).map(({ id }) => dialect.result(id, result));
    messages.push(...dialect.answer(answer), ...results);
  }
  const ends = AFTER.filter((end) => end <= calls);
  return {
    way,
    provider: dialect.provider,
    kind,
    contextTokens,
    calls,
    ...sum,
    validShares: ends.map((end) => mean(shares.slice(end / 2 - 1, end - 1))),
    validTokens: Math.round(tokens.valid / calls),
    lostPerCut: Math.round(tokens.lost / Math.max(1, sum.cuts)),
    full: mean(fulls),
    fullLater: mean(fulls.slice(calls / 2)),
  };
}

interface Piece {
  readonly json: string;
  readonly tokens: number;
  readonly isReasoning: boolean;
}

/** Counts what is billed: texts and names, three tokens for each block; not how something is signed. */
function weighing(dialect: Dialect) {
  const known = new Map<string, number>();
  const countText = (text: string): number => {
    const before = known.get(text) ?? dialect.countText(text);
    known.set(text, before);
    return before;
  };
  const pieceOf = (block: JsonObject): Piece => {
    const isReasoning = block["type"] === "thinking" || block["type"] === "reasoning";
    const tokens = 3 + tokensIn(block, countText);
    return { json: JSON.stringify(block), tokens, isReasoning };
  };
  const pieces = remembered((message: JsonObject) => dialect.blocks(message).map(pieceOf));
  const { system, instructions, tools } = dialect.body([]);
  const head = pieceOf({ system: system ?? instructions ?? "", tools: tools ?? [] });
  return { pieces, countText, head };
}

/** Reasoning that the provider drops is not billed. */
function withoutDropped(pieces: readonly Piece[], isValid: readonly boolean[]): readonly Piece[] {
  let nth = 0;
  return pieces.filter(({ isReasoning }) => !isReasoning || isValid[nth++] === true);
}

function totalOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

function sumOf(texts: readonly string[], countText: (text: string) => number): number {
  return texts.reduce((sum, text) => sum + countText(text), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
}
