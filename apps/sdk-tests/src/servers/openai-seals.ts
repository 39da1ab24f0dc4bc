import type { JsonObject } from "@agent-history/core";

import { comparable, hash, sealed, sealOf, versionIn } from "./bound-reasoning.ts";
import type { JudgedThought, Seal } from "./bound-reasoning.ts";
import { itemsOf } from "./openai-responses-rules.ts";
import { objectAt, objectsAt, textIn } from "./read-wire.ts";

// What `encrypted_content` remembers, and what the API does with it, without an error:
// https://developers.openai.com/api/docs/guides/keep-prefix-unchanged
// https://developers.openai.com/api/docs/guides/preserved-reasoning
// The pages do not say whether earlier reasoning belongs to the prefix: here it does not.

/** Encrypts what a model thinks after a request. */
export function encryptReasoning(thinking: string, body: JsonObject, organization: string): string {
  const { prefix } = judged(body, organization);
  return sealed({ text: hash(thinking), model: textIn(body["model"]), organization, prefix });
}

/** Returns what the API makes of each reasoning item in a request. */
export function judgeItems(body: JsonObject, organization: string): readonly JudgedThought[] {
  return judged(body, organization).thoughts;
}

function judged(
  body: JsonObject,
  organization: string,
): { readonly thoughts: readonly JudgedThought[]; readonly prefix: string } {
  const model = textIn(body["model"]);
  const items = itemsOf(body);
  const turnStart = items.findLastIndex(({ role }) => role === "user");
  const thoughts: JudgedThought[] = [];
  let prefix = baseOf(body, model);
  for (const [index, item] of items.entries()) {
    if (item["type"] === "reasoning") {
      const seal = sealOf(textIn(item["encrypted_content"]));
      const reason = reasonOf(seal, { model, organization, prefix, isOld: index < turnStart });
      const text = objectsAt(item, "summary")
        .map(({ text: part }) => textIn(part))
        .join("");
      const fate = reason === undefined ? "valid" : "dropped";
      thoughts.push({ path: `input.${index}`, text, fate, ...(reason && { reason }) });
    } else {
      const { id: _, status: __, ...said } = item;
      prefix = hash(prefix, comparable(said));
    }
  }
  return { thoughts, prefix };
}

function reasonOf(
  seal: Seal | undefined,
  request: {
    readonly model: string;
    readonly organization: string;
    readonly prefix: string;
    readonly isOld: boolean;
  },
): string | undefined {
  const version = versionOf(request.model);
  // `reasoning.context` is `current_turn` before gpt-5.6.
  if (request.isOld && version < 5.6) return "turn_boundary";
  if (seal === undefined) return undefined;
  if (seal.organization !== request.organization) return "organization_mismatch";
  const made = versionOf(seal.model);
  if (Math.floor(made) !== Math.floor(version) || made > version) return "model_mismatch";
  return version >= 6 && seal.prefix !== request.prefix ? "prefix_mismatch" : undefined;
}

/** What stands beside the items and belongs to the prefix: before GPT-6.2 the instructions too. */
function baseOf(body: JsonObject, model: string): string {
  return hash(
    versionOf(model) < 6.2 ? comparable(body["instructions"]) : "",
    comparable(objectsAt(body, "tools")),
    comparable(objectAt(body, "text")["format"]),
    comparable(objectAt(body, "reasoning")["effort"]),
  );
}

/** An unknown name is taken for the newest. */
function versionOf(model: string): number {
  if (/^o\d/u.test(model)) return 5;
  return versionIn(model, /gpt-(\d+)(?:\.(\d+))?/u) ?? 6;
}
