import { addCompactions, compressHistory } from "@agent-history/compression";
import type { CompressionResult } from "@agent-history/compression";
import { applyCompactions } from "@agent-history/core";
import { textOf } from "@agent-history/format-kit";

import { modelParts } from "../../for-model.ts";
import type { CliContext } from "../cli-context.ts";
import { messageFileOf, writeMessages } from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";
import { tokensText } from "../number-text.ts";

export interface CompressCommandOptions extends MessageOptions {
  readonly model?: string;
  readonly tail?: number;
  readonly max?: number;
}

/** Summarizes old messages without a model. */
export async function compressMessages(
  context: CliContext,
  path: string | undefined,
  options: CompressCommandOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const to = options.to;
  const model = options.model ?? textOf(file.fields["model"]);
  // Only relative sizes matter, so an estimate is enough if no model is named.
  const { counter } = modelParts({ model, window: { contextTokens: 1 }, estimate: true });
  const { max: maxTokens, tail: tailTokens } = options;
  const result = await compressHistory(file.entries, { counter, maxTokens, tailTokens });
  const compactions = result.outcome === "compressed" ? result.compactions : [];
  const log = addCompactions(file.entries, compactions);
  const facts = { facts: { outcome: result.outcome, compactions } };
  context.write(
    writeMessages(file, applyCompactions(log, "thread"), { to, ...(options.json && facts) }),
  );
  context.tell(`${whatWasDone(result)}\n`);
}

function whatWasDone(result: CompressionResult): string {
  if (result.outcome !== "compressed") return `Nothing was compressed: ${result.reason}`;
  const { compactions, shown, dropped } = result;
  const before = compactions.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const after = compactions.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  return `Replaced ${tokensText(before)} tokens with ${tokensText(after)}. The summary contains ${shown.length} of ${shown.length + dropped.length} parts.`;
}
