import { isRendered, messageRole } from "@agent-history/core";
import type {
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  OpaquePart,
  Viewer,
} from "@agent-history/core";
import {
  beginsWithUser,
  cameWith,
  commonRules,
  dataOf,
  endsWithUser,
  fieldsChanged,
  finishedReasoning,
  isJsonObject,
  isLateResult,
  knownFields,
  lastThoughts,
  mapCalls,
  mapEntries,
  mapParts,
  mapResults,
  mediaBesideResults,
  objectArguments,
  objectOf,
  ofFormat,
  partsOf,
  safeName,
  sentFields,
  textOf,
} from "@agent-history/format-kit";
import type { AllowedFields, AnswerReader, WireRule } from "@agent-history/format-kit";

import { isOwnMedia, isServerBlock, isServerCall } from "./internal/anthropic-parts.ts";
import { ANTHROPIC_FORMAT, isRequestSystem } from "./internal/write-anthropic.ts";

/** Options that determine which rules apply to a request. */
export interface AnthropicRuleOptions extends AnswerReader {
  /** Whether the model continues a trailing answer, as models before Claude 4.6 do. Default `false`: a user message is appended that asks to continue. */
  readonly prefill?: boolean | undefined;
  /** `drop` removes thinking from all answers except those of the running exchange. Default `keep`. */
  readonly thinking?: "keep" | "drop" | undefined;
  /** Whether system messages in the middle of a conversation are sent in `messages`. Default: only those that were read from Anthropic messages. */
  readonly systemInMessages?: boolean | undefined;
  /** The tools of the request. Their `cache_control` breakpoints count toward the limit. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /** Set if breakpoints will be placed anew: existing breakpoints then do not count. Default: they are kept. */
  readonly cache?: object | undefined;
}

const DOCS = "https://platform.claude.com/docs/en";
const ERRORS = `${DOCS}/api/errors`;
const THINKING = `${DOCS}/build-with-claude/thinking-troubleshooting`;
const MESSAGES = `${DOCS}/build-with-claude/working-with-messages`;
const REFERENCE = `${DOCS}/api/messages/create`;

const NAME = /^[\w-]{1,64}$/;

/**
 * Returns the rules of Anthropic's Messages API, in the order in which they are repaired.
 *
 * @param writes - The format whose entries are written with their format-specific data. Default: Anthropic's messages.
 */
export function anthropicRules(
  {
    prefill = false,
    thinking = "keep",
    systemInMessages,
    tools = [],
    cache,
  }: AnthropicRuleOptions = {},
  writes: string = ANTHROPIC_FORMAT,
): readonly WireRule[] {
  return [
    ...(thinking === "drop" ? [finishedReasoning(THINKING, ANTHROPIC_FORMAT)] : []),
    ...commonRules({
      source: REFERENCE,
      format: ANTHROPIC_FORMAT,
      takes,
      names: {
        source: `${DOCS}/agents-and-tools/tool-use/define-tools`,
        isTaken: (name) => NAME.test(name),
        isExempt: (call) => nameOfServer(cameWith(call, "type")).test(call.name),
      },
      ids: {
        source: "https://github.com/maximhq/bifrost/issues/5097",
        isTaken: (id) => /^[\w-]*$/.test(id),
      },
      carriedIds: (entry) => serverCalls(entry).map(({ id }) => id),
      mayWait: isServerCall,
      mayBeEmpty: (entry) => entry.type === "action" || setsSomething(entry),
    }),
    allowedFields,
    objectArguments("https://github.com/anthropics/claude-code/issues/6696", true),
    wholeThinking,
    serverIds,
    toolsets,
    sameCitations,
    textErrors,
    beginsWithUser(MESSAGES, (entry, viewer) =>
      isCompaction(entry) ? "user" : roleOf(entry, viewer),
    ),
    ...(prefill ? [trimmedEnd] : [endsWithUser(`${ERRORS}#prefill-not-supported`, waits, roleOf)]),
    systemPlaces(
      (entry) => !isRequestSystem(entry) && (systemInMessages ?? entry.origin?.format === writes),
    ),
    ...(cache === undefined
      ? [fewBreakpoints(tools.filter((tool) => "cache_control" in tool).length, writes)]
      : []),
  ];
}

/** Failed results may contain only text and documents with a URL. */
const textErrors = mediaBesideResults(
  ERRORS,
  ({ outcome }) => outcome !== "success",
  ({ type, source }) => type === "image" || source.kind !== "url",
);

/** A system message with `output_config` may be empty. */
function setsSomething({ type, origin }: HistoryEntry): boolean {
  return type === "system_message" && "output_config" in objectOf(origin?.extra?.["fields"]);
}

function isOwn({ origin }: HistoryEntry): boolean {
  return origin?.format === ANTHROPIC_FORMAT;
}

/** Compactions, and results of server tools that came late or are missing, belong to an answer. */
function roleOf(entry: HistoryEntry, viewer: Viewer): MessageRole {
  const isOfAnswer = isOwn(entry)
    ? entry.type === "summary" || isLateResult(entry)
    : entry.type === "observation" && /^(?:srv|mcp)toolu_/u.test(entry.callId);
  return isOfAnswer ? "assistant" : messageRole(entry, viewer);
}

/** Returns whether an entry is a compaction that replaces the history before it; a failed one does not. */
export function isCompaction(entry: HistoryEntry): boolean {
  const [part] = entry.type === "summary" && isOwn(entry) ? partsOf(entry.content) : [];
  return typeof dataOf(part)["content"] === "string";
}

/** An answer that waits for a server tool may be last, because it is sent back unchanged. */
function waits(entry: HistoryEntry): boolean {
  return entry.type === "action" && entry.toolCalls.some(isServerCall);
}

/** Blocks that become opaque parts: the roles that may contain them, and their fields besides `type`. */
const BLOCKS: ReadonlyMap<JsonValue | undefined, readonly [by: string, fields: string]> = new Map([
  ["search_result", ["user tool", "content source title citations cache_control"]],
  ["container_upload", ["user assistant", "file_id cache_control"]],
  ["document", ["user tool", "source citations context title cache_control"]],
  ["tool_reference", ["tool", "tool_name cache_control"]],
  ["browser_state", ["tool", "tabs state_changes cache_control"]],
  ["tool_addition", ["system", "tool cache_control"]],
  ["tool_removal", ["system", "tool cache_control"]],
  ["server_tool_use", ["assistant", "id name input caller cache_control"]],
  ["mcp_tool_use", ["assistant", "id name input server_name cache_control"]],
  ["mcp_tool_listing", ["assistant", "mcp_server_name tools"]],
  ["fallback", ["assistant", "from to trigger"]],
  ["compaction", ["assistant", "content encrypted_content signature tool_changes cache_control"]],
]);

/** Results of any server tool are sent back unchanged. */
const SERVER_RESULT = ["assistant", "tool_use_id content caller is_error cache_control"] as const;

function blockOf(data: JsonValue): readonly [by: string, fields: string] | undefined {
  const { type, source, tool_use_id: callId } = objectOf(data);
  // Documents with other sources are file parts.
  if (type === "document" && objectOf(source)["type"] !== "content") return undefined;
  const isServerResult =
    typeof type === "string" && type.endsWith("_tool_result") && callId !== undefined;
  return BLOCKS.get(type) ?? (isServerResult ? SERVER_RESULT : undefined);
}

function takes(
  part: ImagePart | FilePart | OpaquePart,
  entry: HistoryEntry,
  viewer: Viewer,
): boolean {
  const role = roleOf(entry, viewer);
  if (part.type !== "opaque") return (role === "user" || role === "tool") && isOwnMedia(part);
  if (entry.type === "observation" && entry.outcome !== "success" && role === "tool") return false;
  const mayStand = blockOf(part.data)?.[0].split(" ").includes(role) === true;
  return mayStand && (entry.type === "observation" || isAnswered(part.data, entry));
}

/** Tools of MCP servers have names of their own: https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
function nameOfServer(type: JsonValue | undefined): RegExp {
  return type === "mcp_tool_use" ? /^[\w./-]{1,128}$/ : NAME;
}

/** Server tool calls in an answer must be valid and have their result there, and results their call. */
function isAnswered(data: JsonValue, { content }: HistoryEntry): boolean {
  const blocks = partsOf(content).map(dataOf);
  if (!isJsonObject(data)) return true;
  const callId = isServerBlock(data) ? data["id"] : data["tool_use_id"];
  if (callId === undefined) return !isServerBlock(data);
  const call = blocks.find((block) => isServerBlock(block) && block["id"] === callId);
  const result = blocks.find((block) => block["tool_use_id"] === callId);
  const isCall =
    typeof callId === "string" && nameOfServer(call?.["type"]).test(textOf(call?.["name"]) ?? "");
  const isWhole = isCall && isJsonObject(call?.["input"]) && result !== undefined;
  // A second call or result with the id is refused.
  return isWhole && (data === call || data === result);
}

/** A breakpoint is on the result, not on the blocks in it: https://github.com/langchain-ai/langchain/issues/34920 */
function isInResult(entry: HistoryEntry): boolean {
  return entry.type === "observation" && !isLateResult(entry);
}

const RESULT_KEYS = sentFields("cache_control toolset_name is_error", { content: "absent" });
const SYSTEM_FIELDS = sentFields("clear_at output_config", { content: "absent" });
const partFields = (more: string): Readonly<Record<ContentPart["type"], AllowedFields>> => ({
  text: sentFields(`citations${more}`),
  image: sentFields(`transformations${more}`),
  file: sentFields(`citations context title${more}`),
  reasoning: {},
  opaque: {},
});
const RESULT_FIELDS = partFields("");
const PART_FIELDS = partFields(" cache_control");

/** The fields of messages and blocks. */
const allowedFields = knownFields(REFERENCE, {
  format: ANTHROPIC_FORMAT,
  message: ({ type }) => (type === "system_message" ? SYSTEM_FIELDS : {}),
  within: ["result", RESULT_KEYS],
  part: ({ type }, entry) => (isInResult(entry) ? RESULT_FIELDS : PART_FIELDS)[type],
  data: (data, { type }, entry) => {
    const block = type === "opaque" ? blockOf(data) : undefined;
    const keys = ["type", ...(block?.[1].split(" ") ?? Object.keys(data))];
    return new Set(isInResult(entry) ? keys.filter((key) => key !== "cache_control") : keys);
  },
  call: sentFields("type caller cache_control toolset_name server_name"),
});

/** System messages in the middle must follow a user message or result and precede an answer; others move to the next such place. */
function systemPlaces(isAmong: (entry: HistoryEntry) => boolean): WireRule {
  return {
    name: "system-place",
    source: `${DOCS}/build-with-claude/mid-conversation-system-messages`,
    remedy: "moves it after the next user message or result that is followed by an answer",
    repair: (entries, viewer) => {
      const isMovable = (entry: HistoryEntry): boolean =>
        isAmong(entry) && isRendered(entry) && roleOf(entry, viewer) === "system";
      if (!entries.some(isMovable)) return entries;
      const placed: HistoryEntry[] = [];
      const held: HistoryEntry[] = [];
      let last: MessageRole | undefined;
      for (const entry of entries) {
        const role = isRendered(entry) ? roleOf(entry, viewer) : undefined;
        if (last !== undefined && isMovable(entry)) {
          held.push(entry);
          continue;
        }
        if (role === "assistant" && last !== "assistant") {
          for (const one of held.splice(0)) placed.push(one);
        }
        placed.push(entry);
        if (role !== undefined && role !== "system") last = role;
      }
      const all = [...placed, ...held];
      return all.every((entry, index) => entry === entries[index]) ? entries : all;
    },
  };
}

const SERVER_ID = /^srvtoolu_\w+$/;

/** Ids of server tool calls begin with `srvtoolu_`, and are unique. */
const serverIds: WireRule = {
  name: "server-call-id",
  source: "https://github.com/ding113/claude-code-hub/issues/470",
  remedy: "renames the id in the call and its result",
  repair: (entries) => {
    const taken = new Set<string>();
    // The present id of the newest call, by its former one.
    const named = new Map<string, string>();
    const idOf = (id: string): string => named.get(id) ?? id;
    return mapEntries(entries, (entry) => {
      for (const { id, type } of [...openCalls(entry), ...serverCalls(entry)]) {
        const isOdd = type === "server_tool_use" && !SERVER_ID.test(id);
        const base = isOdd ? `srvtoolu_${safeName(id).replaceAll("-", "_")}` : id;
        let own = base;
        if (type !== undefined) {
          for (let count = 1; taken.has(own); count += 1) own = `${base}_${count}`;
        }
        named.set(id, own);
        taken.add(own);
      }
      const calls = mapCalls(entry, (call) =>
        idOf(call.id) === call.id ? call : { ...call, id: idOf(call.id) },
      );
      const now = mapParts(calls, (part) => {
        if (part.type !== "opaque" || !isJsonObject(part.data)) return part;
        const key = "tool_use_id" in part.data ? "tool_use_id" : "id";
        const before = textOf(part.data[key]) ?? "";
        const id = idOf(before);
        return id === before ? part : { ...part, data: { ...part.data, [key]: id } };
      });
      if (now.type !== "observation" || idOf(now.callId) === now.callId) return now;
      return { ...now, callId: idOf(now.callId) };
    });
  },
};

interface CallOfEntry {
  readonly id: string;
  /** The type of a server tool's block. */
  readonly type?: JsonValue | undefined;
}

/** Returns the calls of an action. */
function openCalls(entry: HistoryEntry): readonly CallOfEntry[] {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  return calls.map((call) => ({
    id: call.id,
    type: isOwn(entry) ? cameWith(call, "type") : undefined,
  }));
}

/** Returns the server tool calls in the content of an answer. */
function serverCalls(entry: HistoryEntry): readonly CallOfEntry[] {
  if (!isOwn(entry) || typeof entry.content !== "object") return [];
  return entry.content.flatMap((part) => {
    const { id, type } = dataOf(part);
    return isServerBlock(dataOf(part)) && typeof id === "string" ? [{ id, type }] : [];
  });
}

/** A result must name the same toolset as its call. */
const toolsets: WireRule = {
  name: "toolset-name",
  source: `${DOCS}/agents-and-tools/tool-use/handle-tool-calls`,
  remedy: "copies the toolset name from the call to its result",
  repair: (entries) =>
    mapResults(
      entries,
      (result, call) => {
        const name = cameWith(call, "toolset_name");
        const extra = isOwn(result) ? objectOf(result.origin?.extra) : {};
        const came = objectOf(extra["result"]);
        const fields = objectOf(came["fields"]);
        if (typeof name !== "string" || fields["toolset_name"] === name) return result;
        const now = { ...came, fields: { ...fields, toolset_name: name } };
        return ofFormat(result, ANTHROPIC_FORMAT, { ...extra, result: now });
      },
      "toolset_name",
    ),
};

/** Citations must be enabled for all documents of a request or for none. */
const sameCitations: WireRule = {
  name: "citations",
  source: `${DOCS}/build-with-claude/citations`,
  remedy: "applies the citation setting of the first document to later ones",
  repair: (entries) => {
    let first: JsonValue | undefined;
    const cited = (part: ContentPart): ContentPart => {
      const fields = documentFields(part);
      if (fields === undefined) return part;
      const { citations = null, ...others } = fields;
      if (first === undefined) first = citations;
      if (isCited(citations) === isCited(first)) return part;
      const now = isCited(first) ? { ...others, citations: first } : others;
      if (part.type === "opaque") return { ...part, data: now };
      return { ...part, extra: { ...part.extra, fields: now } };
    };
    return mapEntries(entries, (entry) => (isOwn(entry) ? mapParts(entry, cited) : entry));
  },
};

/** Returns the format-specific fields of a document; of an opaque document, all fields. */
function documentFields(part: ContentPart): JsonObject | undefined {
  if (part.type === "file") return objectOf(part.extra?.["fields"]);
  const data = dataOf(part);
  return data["type"] === "document" ? data : undefined;
}

function isCited(citations: JsonValue): boolean {
  return objectOf(citations)["enabled"] === true;
}

/** Thinking has its signature and no other field, and is not at the end. Thinking without a signature is removed: as text it would count as part of the answer. */
const wholeThinking: WireRule = {
  name: "thinking",
  source: THINKING,
  remedy: "removes thinking that has no signature or is at the end of an answer",
  entry: (entry, viewer) => {
    if (!isOwn(entry) || messageRole(entry, viewer) !== "assistant") return entry;
    const whole = mapParts(entry, wholeBlock);
    const last = lastThoughts(whole);
    return last.size === 0 ? whole : mapParts(whole, (part) => (last.has(part) ? [] : part));
  },
};

function wholeBlock(part: ContentPart): ContentPart | readonly ContentPart[] {
  if (part.type !== "reasoning") return part;
  const data = objectOf(part.data);
  const isRedacted = part.extra?.["as"] === "block";
  const seal = data[isRedacted ? "data" : "signature"];
  if (typeof seal !== "string" || seal === "") return [];
  if (Object.keys(data).length === (isRedacted ? 2 : 1)) return part;
  const bare = isRedacted ? { type: "redacted_thinking", data: seal } : { signature: seal };
  return { ...part, data: bare };
}

/** A trailing answer must not end with white space. */
const trimmedEnd: WireRule = {
  name: "trailing-space",
  source: "https://github.com/tailcallhq/forgecode/issues/1872",
  remedy: "trims white space at the end of the last answer",
  repair: (entries, viewer) => {
    const last = entries.findLast((entry) => isRendered(entry));
    if (last === undefined || roleOf(last, viewer) !== "assistant") return entries;
    const text = partsOf(last.content).at(-1);
    const trimmed = mapParts(
      last,
      (part) =>
        part === text && part.type === "text" ? { ...part, text: part.text.trimEnd() } : part,
      (said) => said.trimEnd(),
    );
    return mapEntries(entries, (entry) => (entry === last ? trimmed : entry));
  },
};

/** At most four breakpoints, with one-hour ones before five-minute ones; the newest are kept. */
function fewBreakpoints(onTools: number, writes: string): WireRule {
  return {
    name: "cache-breakpoints",
    source: `${DOCS}/build-with-claude/prompt-caching`,
    remedy:
      "removes the oldest breakpoints of messages, and shortens a one-hour breakpoint after a five-minute one",
    repair: (entries) => {
      const all: JsonObject[] = [];
      const collect = ofMarks(writes, (mark) => (all.push(mark), mark));
      const marked = mapEntries(entries, collect);
      if (all.length === 0) return marked;
      const from = all.length - Math.max(0, 4 - onTools);
      let index = -1;
      let hasShort = false;
      const few = ofMarks(writes, (mark) => {
        index += 1;
        if (index < from) return undefined;
        const isLong = mark["ttl"] === "1h" && !hasShort;
        hasShort ||= !isLong;
        const hasTtl = isLong || (mark["ttl"] ?? "5m") === "5m";
        const isKept = mark["type"] === "ephemeral" && hasTtl;
        return isKept ? mark : { type: "ephemeral", ...(isLong && { ttl: "1h" }) };
      });
      return mapEntries(marked, few);
    },
  };
}

/** Changes the breakpoints of an entry, in written order; `undefined` removes one. Removes values that are none. */
function ofMarks(
  writes: string,
  change: (mark: JsonObject) => JsonObject | undefined,
): (entry: HistoryEntry) => HistoryEntry {
  const changed = fieldsChanged((fields) => {
    const { cache_control: mark = null } = fields;
    if (mark === null) return fields;
    const now = isJsonObject(mark) ? change(mark) : undefined;
    if (now === mark) return fields;
    const { cache_control: _, ...bare } = fields;
    return now === undefined ? bare : { ...fields, cache_control: now };
  });
  return (entry) => (entry.origin?.format === writes ? changed(entry) : entry);
}
