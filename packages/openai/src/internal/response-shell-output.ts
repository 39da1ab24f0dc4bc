import type { Content, ContentPart, JsonValue, Outcome } from "@agent-history/core";
import {
  isJsonObject,
  onlyAdds,
  partsOf,
  mergeJson,
  wireDifference,
} from "@agent-history/format-kit";

/** What shell commands wrote, and how they ended. */
interface ShellOutput {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** Reads what shell commands wrote: for each a text of its output and one of its errors, where there are any. */
export function readShellOutput(chunks: readonly JsonValue[]): ShellOutput {
  const failed = chunks.filter(isJsonObject).some(({ outcome }) => isFailure(outcome));
  return { outcome: failed ? "error" : "success", content: chunks.flatMap(readChunk) };
}

function isFailure(outcome: JsonValue | undefined): boolean {
  return isJsonObject(outcome) && (outcome["type"] === "timeout" || outcome["exit_code"] !== 0);
}

function readChunk(chunk: JsonValue): readonly ContentPart[] {
  const opaque: ContentPart = { type: "opaque", data: chunk };
  if (!isJsonObject(chunk) || !isJsonObject(chunk["outcome"])) return [opaque];
  const { stdout, stderr } = chunk;
  if (typeof stdout !== "string" || typeof stderr !== "string") return [opaque];
  const difference = wireDifference({ stdout, stderr }, chunk) ?? {};
  if (!onlyAdds(difference, { stdout, stderr })) return [opaque];
  const out: ContentPart = { type: "text", text: stdout, extra: { as: "stdout", ...difference } };
  return stderr === "" ? [out] : [out, { type: "text", text: stderr, extra: { as: "stderr" } }];
}

/** Writes what shell commands wrote. A text that is none of theirs ended as its result did. */
export function writeShellOutput({ outcome, content }: ShellOutput): readonly JsonValue[] {
  const ended = { type: "exit", exit_code: outcome === "success" ? 0 : 1 };
  const chunks: JsonValue[] = [];
  for (const part of partsOf(content)) {
    const last = chunks.at(-1);
    if (part.type === "opaque") chunks.push(part.data);
    if (part.type !== "text") continue;
    if (part.extra?.["as"] === "stderr" && isJsonObject(last)) {
      chunks[chunks.length - 1] = { ...last, stderr: part.text };
    } else {
      const came = part.extra?.["as"] === "stdout" ? part.extra : undefined;
      chunks.push({ outcome: ended, ...mergeJson({ stdout: part.text, stderr: "" }, came) });
    }
  }
  return chunks;
}
