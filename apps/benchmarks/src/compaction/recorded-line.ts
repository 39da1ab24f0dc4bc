import { fieldOf, listAt, textAt } from "../messages/json-fields.ts";

/** A block of a message. */
export interface RecordedBlock {
  readonly type: string;
  readonly text: string;
  /** Of a call: its id, name and input; of a result: the id that it answers. */
  readonly id: string;
  readonly name: string;
  readonly input: object;
  readonly isError: boolean;
}

/** A line of a recorded session, as far as the measure reads it. */
export interface RecordedLine {
  readonly type: string;
  readonly subtype: string;
  readonly uuid: string;
  readonly parentUuid: string;
  readonly logicalParentUuid: string;
  readonly cwd: string;
  readonly messageId: string;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly hasMessage: boolean;
  readonly blocks: readonly RecordedBlock[];
}

/** Reads a line of a session; what cannot be read is left out. */
export function readLine(text: string): readonly RecordedLine[] {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return [];
  }
  const message = fieldOf(line, "message");
  return [
    {
      type: textAt(line, "type"),
      subtype: textAt(line, "subtype"),
      uuid: textAt(line, "uuid"),
      parentUuid: textAt(line, "parentUuid"),
      logicalParentUuid: textAt(line, "logicalParentUuid"),
      cwd: textAt(line, "cwd"),
      messageId: textAt(message, "id"),
      isSidechain: fieldOf(line, "isSidechain") === true,
      isMeta: fieldOf(line, "isMeta") === true,
      isCompactSummary: fieldOf(line, "isCompactSummary") === true,
      hasMessage: message !== undefined,
      blocks: blocksOf(message),
    },
  ];
}

function blocksOf(message: unknown): readonly RecordedBlock[] {
  const content = fieldOf(message, "content");
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : listAt(message, "content");
  return blocks.map((block) => {
    const input = fieldOf(block, "input");
    const isResult = textAt(block, "type") === "tool_result";
    return {
      type: textAt(block, "type"),
      text: isResult ? resultText(block) : textAt(block, "text"),
      id: textAt(block, isResult ? "tool_use_id" : "id"),
      name: textAt(block, "name"),
      input: typeof input === "object" && input !== null ? input : {},
      isError: fieldOf(block, "is_error") === true,
    };
  });
}

function resultText(block: unknown): string {
  const said = fieldOf(block, "content");
  if (typeof said === "string") return said;
  return listAt(block, "content")
    .map((part) => textAt(part, "text"))
    .join("\n");
}
