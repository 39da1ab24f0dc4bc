import { fieldOf, listAt, textAt } from "../messages/json-fields.ts";
import type { RecordedBlock, RecordedLine } from "./recorded-line.ts";

/**
 * Reads a rollout of Codex as the lines of a session: messages, calls and results in their order, and a boundary for each compaction. What
 * it keeps after one are messages of persons; the summary beside them is encrypted.
 */
export function codexLines(text: string): readonly RecordedLine[] {
  const lines: RecordedLine[] = [];
  let cwd = "";
  for (const row of text.split("\n").flatMap(parsed)) {
    const payload = fieldOf(row, "payload");
    const type = textAt(row, "type");
    cwd = textAt(payload, "cwd") || cwd;
    const made =
      type === "response_item"
        ? itemLine(payload, cwd)
        : type === "compacted"
          ? compactedLines(payload, cwd)
          : [];
    for (const line of made) {
      const uuid = `${lines.length}`;
      const parentUuid = lines.length === 0 ? "" : `${lines.length - 1}`;
      const logicalParentUuid = line.subtype === "" ? "" : parentUuid;
      lines.push({ ...line, uuid, parentUuid, logicalParentUuid, messageId: uuid });
    }
  }
  return lines;
}

const LINE: RecordedLine = {
  type: "",
  subtype: "",
  uuid: "",
  parentUuid: "",
  logicalParentUuid: "",
  cwd: "",
  messageId: "",
  isSidechain: false,
  isMeta: false,
  isCompactSummary: false,
  hasMessage: true,
  blocks: [],
};
const BLOCK: RecordedBlock = {
  type: "text",
  text: "",
  id: "",
  name: "",
  input: {},
  isError: false,
};

function itemLine(item: unknown, cwd: string): readonly RecordedLine[] {
  const id = textAt(item, "call_id");
  switch (textAt(item, "type")) {
    case "message": {
      const role = textAt(item, "role");
      const text = messageText(item);
      const isTalk = role === "assistant" || (role === "user" && !INSTRUCTIONS.test(text));
      return isTalk ? [{ ...LINE, type: role, cwd, blocks: [{ ...BLOCK, text }] }] : [];
    }
    case "function_call":
    case "custom_tool_call": {
      const input = inputOf(item);
      const block = { ...BLOCK, type: "tool_use", id, name: textAt(item, "name"), input };
      const folder = textAt(input, "workdir") || cwd;
      return [{ ...LINE, type: "assistant", cwd: folder, blocks: [block] }];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const text = textAt(item, "output");
      const isError = /^(?:Process exited with|Exit) code:? [1-9]/m.test(text.slice(0, 300));
      const block = { ...BLOCK, type: "tool_result", id, text, isError };
      return [{ ...LINE, type: "user", cwd, blocks: [block] }];
    }
    default:
      return [];
  }
}

/** What a client puts before the words of a person. */
const INSTRUCTIONS = /^\s*(?:<|# AGENTS\.md instructions)/;

function compactedLines(payload: unknown, cwd: string): readonly RecordedLine[] {
  const kept = listAt(payload, "replacement_history")
    .filter((item) => textAt(item, "role") === "user")
    .map(messageText)
    .filter((text) => !INSTRUCTIONS.test(text));
  const text = [textAt(payload, "message"), ...kept].filter(Boolean).join("\n");
  const boundary = { ...LINE, type: "system", subtype: "compact_boundary", hasMessage: false };
  const blocks = [{ ...BLOCK, text }];
  return [boundary, { ...LINE, type: "user", isCompactSummary: true, cwd, blocks }];
}

function messageText(item: unknown): string {
  return listAt(item, "content")
    .map((part) => textAt(part, "text"))
    .join("\n");
}

function inputOf(item: unknown): object {
  const given = textAt(item, "arguments");
  if (given === "") return { input: textAt(item, "input") };
  const [input] = parsed(given);
  return typeof input === "object" && input !== null ? input : {};
}

function parsed(text: string): readonly unknown[] {
  try {
    return text === "" ? [] : [JSON.parse(text)];
  } catch {
    return [];
  }
}
