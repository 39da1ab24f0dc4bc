import type { Content, ContentPart, JsonObject, JsonValue, Outcome } from "../src/index.ts";
import { isJsonObject } from "./internal/is-json-object.ts";
import { onlyAdds } from "./internal/only-adds.ts";
import { partsOf } from "./internal/part-codec.ts";
import { patchWire } from "./internal/patch-wire.ts";
import { wireDifference } from "./internal/wire-difference.ts";

/** Reads what shell commands wrote: for each a text of its output and one of its errors, where there are any. */
export function readShellOutput(chunks: readonly JsonValue[]): {
  readonly outcome: Outcome;
  readonly content: Content;
} {
  const failed = chunks.filter(isJsonObject).some(({ outcome }) => isFailure(outcome));
  return { outcome: failed ? "error" : "success", content: chunks.flatMap(readChunk) };
}

function isFailure(outcome: JsonValue | undefined): boolean {
  return isJsonObject(outcome) && (outcome["type"] === "timeout" || outcome["exit_code"] !== 0);
}

function readChunk(chunk: JsonValue): readonly ContentPart[] {
  const opaque: ContentPart = { type: "opaque", data: chunk };
  if (!isJsonObject(chunk)) return [opaque];
  const { stdout, stderr } = chunk;
  if (typeof stdout !== "string" || typeof stderr !== "string") return [opaque];
  const difference = wireDifference({ stdout, stderr }, chunk) ?? {};
  if (!onlyAdds(difference, { stdout, stderr })) return [opaque];
  const out: ContentPart = { type: "text", text: stdout, extra: { as: "stdout", ...difference } };
  return stderr === "" ? [out] : [out, { type: "text", text: stderr, extra: { as: "stderr" } }];
}

/** Writes what shell commands wrote. */
export function writeShellOutput(content: Content): readonly JsonValue[] {
  const chunks: JsonValue[] = [];
  for (const part of partsOf(content)) {
    const last = chunks.at(-1);
    if (part.type === "opaque") chunks.push(part.data);
    if (part.type !== "text") continue;
    if (part.extra?.["as"] === "stderr" && isJsonObject(last)) {
      chunks[chunks.length - 1] = { ...last, stderr: part.text };
    } else {
      chunks.push(writeChunk(part.text, part.extra));
    }
  }
  return chunks;
}

function writeChunk(stdout: string, extra: JsonObject | undefined): JsonObject {
  return patchWire({ stdout, stderr: "" }, extra);
}
