import type { JsonObject } from "@agent-history/core";

import { isThinking, readAnthropic } from "./anthropic-request.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { comparable, hash, sealed, sealOf, versionIn } from "./bound-reasoning.ts";
import type { JudgedThought, Seal } from "./bound-reasoning.ts";
import { objectAt, textIn } from "./read-wire.ts";

// What a signature of thinking is made of, and what the API does with it:
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
// Kept turns after a compaction: https://platform.claude.com/docs/en/build-with-claude/compaction-thinking-blocks

/** Who asks. */
export interface AnthropicAccount {
  /** Created on or after 31 August 2026: the check of the prefix is enforced without being asked for. */
  readonly isNew: boolean;
  readonly organization: string;
}

/** What names the header that a request needs for `block_binding`, and to be told of dropped blocks. */
export const BINDING_HEADER = "thinking-binding-controls-2026-08-01";

/** What names the header of a compaction on demand, and of each request that has its block. */
export const COMPACTION_HEADER = "compact-2026-09-04";

const OLD: AnthropicAccount = { isNew: false, organization: "" };

/** Signs what a model thinks after a request. */
export function signThinking(thinking: string, body: JsonObject, account = OLD): string {
  const { prefix, before } = judged(readAnthropic(body), account);
  return sealed({ ...record(thinking, textIn(body["model"]), account), prefix, before });
}

/** Signs thinking of a model that records nothing of what stood before. */
export function signAlone(thinking: string): string {
  return sealed(record(thinking, "claude-opus-5", OLD));
}

/** Signs a summary that the API writes in place of a whole request. What is kept behind it is valid as if nothing had been replaced. */
export function signSummary(summary: string, body: JsonObject, account = OLD): string {
  const request = readAnthropic(body);
  const { prefix } = judged(request, account);
  const before = [baseOf(request)];
  return sealed({ ...record(summary, request.model, account), prefix, before });
}

function record(text: string, model: string, { organization }: AnthropicAccount): Seal {
  return { text: hash(text), model, organization };
}

/** Returns whether a block of thinking has the signature of its own text. */
export function isSigned(block: JsonObject): boolean {
  return sealOf(textIn(block["signature"]))?.text === hash(textIn(block["thinking"]));
}

/** Returns what the API makes of each block of thinking in a request. */
export function judgeThinking(body: JsonObject, account: AnthropicAccount): Thoughts {
  return judged(readAnthropic(body), account).thoughts;
}

type Thoughts = readonly JudgedThought[];

/** The thinking in a request, and what an answer to it is signed with. */
interface Judged {
  readonly thoughts: Thoughts;
  readonly prefix: string;
  readonly before: readonly string[];
}

function judged(request: AnthropicRequest, account: AnthropicAccount): Judged {
  const onMismatch = mismatchOf(request, account);
  const base = baseOf(request);
  let thoughts: JudgedThought[] = [];
  let prefix = base;
  let before = ["", ""];
  for (const [index, { role, blocks }] of request.messages.entries()) {
    for (const [place, block] of blocks.entries()) {
      if (block["type"] === "compaction") {
        // The checked prefix begins at the newest compaction; what stood before it is not read.
        prefix = resumed(block, base);
        [thoughts, before] = [[], ["", ""]];
      } else if (!isThinking(block)) {
        prefix = hash(prefix, role, comparable(block));
      } else {
        const signature = textIn(block["signature"]);
        const path = `messages.${index}.content.${place}`;
        const fault = faultOf(sealOf(signature), { request, account, prefix, before, thoughts });
        const isRead = fault === undefined || (fault.isOfPrefix && onMismatch === "allowed");
        const fate = fault?.isOfPrefix === false ? "dropped" : onMismatch;
        thoughts.push({
          path,
          text: textIn(block["thinking"]),
          fate: fault === undefined ? "valid" : fate,
          ...(fault !== undefined && { reason: fault.reason }),
          ...(fault?.isGap === true && { isGap: true }),
        });
        before = [isRead ? hash(signature) : (before[0] ?? ""), hash(signature)];
      }
    }
  }
  return { thoughts, prefix, before };
}

interface Fault {
  readonly reason: string;
  readonly isOfPrefix: boolean;
  readonly isGap: boolean;
}

/** The first check that a block fails, in the order in which the API reports them. */
function faultOf(
  seal: Seal | undefined,
  { request, account, prefix, before, thoughts }: Judged & Asked,
): Fault | undefined {
  const dropped = (reason: string): Fault => ({ reason, isOfPrefix: false, isGap: false });
  if (seal !== undefined) {
    const isOfAccount = /(?:sonnet|haiku)-5-5/u.test(seal.model);
    if (isOfAccount && seal.organization !== account.organization)
      return dropped("organization_binding_mismatch");
    if (!canRead(request.model, seal.model)) return dropped("model_binding_mismatch");
  }
  if (!checksPrefix(request.model)) return undefined;
  const mismatch = { reason: "prefix_binding_mismatch", isOfPrefix: true };
  if (seal?.prefix === undefined) {
    const recordsNone = seal !== undefined && !recordsPrefix(seal.model);
    return recordsNone ? undefined : { ...mismatch, isGap: false };
  }
  if (seal.prefix !== prefix) return { ...mismatch, isGap: false };
  // A leading run may be left out: then nothing that could be read stands before.
  const isFirst = thoughts.every(({ reason = "" }) => reason !== "" && !reason.startsWith("pref"));
  const [read = ""] = before;
  return isFirst || seal.before?.includes(read) === true ? undefined : { ...mismatch, isGap: true };
}

interface Asked {
  readonly request: AnthropicRequest;
  readonly account: AnthropicAccount;
}

/** What a failed check of the prefix means for this request. */
function mismatchOf(
  { body, model }: AnthropicRequest,
  account: AnthropicAccount,
): "refused" | "dropped" | "allowed" {
  const asked = objectAt(objectAt(body, "thinking"), "block_binding")["prefix_mismatch_behavior"];
  if (asked === "drop_block") return "dropped";
  // https://support.claude.com/en/articles/16761192: these for all accounts
  const isForAll = /(?:fable|mythos)-5-2/u.test(model);
  return asked === "error" || account.isNew || isForAll ? "refused" : "allowed";
}

/** System and tools, without those that are loaded later. */
function baseOf({ body, tools }: AnthropicRequest): string {
  const named = tools.filter(({ defer_loading: isDeferred }) => isDeferred !== true);
  const system = typeof body["system"] === "string" ? [textBlock(body["system"])] : body["system"];
  return hash(comparable(system), comparable(named));
}

/** A system prompt as a block, which a mark for the cache needs. */
function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** What stood before the end of the messages that a compaction summarizes; another text or another base is another conversation. */
function resumed(block: JsonObject, base: string): string {
  const seal = sealOf(textIn(block["signature"]));
  const isWhole = seal?.text === hash(textIn(block["content"])) && seal.before?.[0] === base;
  return isWhole && seal.prefix !== undefined ? seal.prefix : hash(base, comparable(block));
}

const VERSION = /-(\d)(?:-(\d))?(?!\d)/u;

function versionOf(model: string): number {
  return versionIn(model, VERSION) ?? Number.POSITIVE_INFINITY;
}

/** Models from 5.1 on record what stands before their thinking; an unknown one is taken for a new one. */
function recordsPrefix(model: string): boolean {
  return versionOf(model) >= 5.1;
}

function checksPrefix(model: string): boolean {
  return recordsPrefix(model) && !/mythos-5-1/u.test(model);
}

/** Of the models from 5 on: whose thinking each reads beside its own. */
const READS: readonly (readonly [reader: RegExp, maker: RegExp])[] = [
  [/(?:fable|mythos)-5-/u, /(?:fable|mythos)-5|opus-5|sonnet-5(?!-5)/u],
  [/opus-5-5/u, /opus-5|sonnet-5|haiku-5-5/u],
  [/sonnet-5-5/u, /sonnet-5|haiku-5-5/u],
  [/haiku-5-5/u, /sonnet-5(?!-5)/u],
  [/-5$/u, /-5$/u],
];

/** Returns whether a model reads the thinking of another: its own, that of models before 5, and that of those which the page lists. */
function canRead(reader: string, maker: string): boolean {
  if (reader === maker || versionOf(reader) === Number.POSITIVE_INFINITY) return true;
  if (versionOf(maker) < 5) return versionOf(reader) >= versionOf(maker);
  return READS.some(([read, made]) => read.test(reader) && made.test(maker));
}
