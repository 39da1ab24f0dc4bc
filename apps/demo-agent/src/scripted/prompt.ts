import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";

/** A tool result at the end of a prompt. */
export interface Result {
  readonly tool: string;
  /** What the call asked for: a package's name or number. */
  readonly asked: string;
  readonly text: string;
}

/** The results at the end of the prompt, each with what was asked. */
export function newestResults(prompt: LanguageModelV4Prompt): readonly Result[] {
  const [action, results] = prompt.slice(-2);
  if (action?.role !== "assistant" || results?.role !== "tool") return [];
  return results.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { toolCallId: id } = part;
    const call = action.content.find((one) => one.type === "tool-call" && one.toolCallId === id);
    const [, asked = ""] = /"name":"([^"]*)"/.exec(JSON.stringify(call)) ?? [];
    return [{ tool: part.toolName, asked, text: outputText(part.output) }];
  });
}

/** What a message says, tool results included, without the label of a report. */
export function textOf(message: LanguageModelV4Message): string {
  if (message.role === "system") return message.content;
  const texts = message.content.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "tool-result" ? outputText(part.output) : "";
  });
  // The line before a report says whose it is.
  return texts.join("\n").replace(/^\[(?:Report|Synthesis) from .*\]\n/, "");
}

/** As a provider would send it: text as it is, anything else as JSON. */
export function outputText(output: LanguageModelV4ToolResultOutput): string {
  const { value } = { value: "", ...output };
  return typeof value === "string" ? value : JSON.stringify(value);
}
