// Whether a tool resumes a session: by what Claude Agent SDK for Python (`_internal/sessions.py`) and Codex (`codex-rs/core`, rollout reconstruction and `context_manager/normalize.rs`) publish. It shares
// no code with the repair.

type Json = Record<string, unknown>;

/** What a resumed session sends, and what is wrong with its file. */
export interface Resumed {
  readonly faults: readonly string[];
  /** All texts that are sent, in order. */
  readonly words: readonly string[];
}

function parsedLines(lines: readonly string[], faults: string[]): readonly Json[] {
  return lines.flatMap((line, index) => {
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value)) return [value];
    } catch {
      // Said below.
    }
    faults.push(`line ${index + 1} is not an object`);
    return [];
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Goes on with a session of Claude Code: from the newest message along the parents. */
export function resumeClaude(lines: readonly string[]): Resumed {
  const faults: string[] = [];
  const all = parsedLines(lines, faults);
  const linked = all.filter(({ uuid }) => typeof uuid === "string");
  const byId = new Map(linked.map((line) => [line["uuid"], line]));
  if (byId.size < linked.length) faults.push("two lines have one uuid");
  const isMessage = ({ type }: Json): boolean => type === "user" || type === "assistant";
  const parents = new Set(linked.map(({ parentUuid }) => parentUuid));
  const leaves = linked
    .filter(({ uuid }) => !parents.has(uuid))
    .flatMap((terminal) => {
      const seen = new Set<Json>();
      let line: Json | undefined = terminal;
      while (line !== undefined && !isMessage(line) && !seen.has(line)) {
        seen.add(line);
        line = byId.get(line["parentUuid"]);
      }
      return line !== undefined && isMessage(line) ? [line] : [];
    });
  const main = leaves.filter((line) => line["isSidechain"] !== true && line["isMeta"] !== true);
  const place = new Map(linked.map((line, index) => [line, index]));
  const [leaf] = (main.length > 0 ? main : leaves).toSorted(
    (a, b) => (place.get(b) ?? 0) - (place.get(a) ?? 0),
  );
  const chain: Json[] = [];
  for (let line = leaf; line !== undefined && !chain.includes(line);) {
    chain.unshift(line);
    const parent: unknown = line["parentUuid"];
    const next: Json | undefined = byId.get(parent);
    if (typeof parent === "string" && next === undefined && line !== linked[0])
      faults.push("the chain ends at a line that is missing");
    line = next;
  }
  return {
    faults: [...faults, ...claudeFaults(chain, linked)],
    words: wordsOf(sentLines(chain, linked)),
  };
}

/** Parallel calls and their results stand beside each other in the tree. */
function sentLines(chain: readonly Json[], linked: readonly Json[]): readonly Json[] {
  const answers = new Set(
    chain.flatMap((line) => (line["type"] === "assistant" ? [messageOf(line)["id"]] : [])),
  );
  const isPart = (line: Json): boolean =>
    line["type"] === "assistant" && answers.has(messageOf(line)["id"]);
  const ids = new Set([...chain, ...linked.filter(isPart)].map(({ uuid }) => uuid));
  return linked.filter(
    (line) =>
      (line["type"] === "user" || line["type"] === "assistant") &&
      (chain.includes(line) ||
        isPart(line) ||
        (ids.has(line["parentUuid"]) && blocksOf(line).some(({ type }) => type === "tool_result"))),
  );
}

function messageOf({ message }: Json): Json {
  return isObject(message) ? message : {};
}

function blocksOf(line: Json): readonly Json[] {
  const { content } = messageOf(line);
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objectsIn(content);
}

function wordsOf(lines: readonly Json[]): readonly string[] {
  return lines.flatMap((line) =>
    blocksOf(line).flatMap((block) => {
      if (block["type"] === "text") return [String(block["text"])];
      if (block["type"] === "tool_result") return [textOf(block["content"])];
      return block["type"] === "tool_use" ? [JSON.stringify(block["input"])] : [];
    }),
  );
}

function claudeFaults(chain: readonly Json[], linked: readonly Json[]): readonly string[] {
  const faults: string[] = [];
  const sent = sentLines(chain, linked);
  if (sent.some((line) => !UUID.test(String(line["uuid"])))) faults.push("a uuid is none");
  if (
    sent.some(
      (line) => typeof line["timestamp"] !== "string" || typeof line["sessionId"] !== "string",
    )
  )
    faults.push("a message has no time or session");
  // Parts of one answer are one message, with all results behind it.
  const messages: { role: string; id: unknown; blocks: Json[] }[] = [];
  for (const line of sent) {
    const role = String(line["type"]);
    const { id } = messageOf(line);
    const open = messages.findLast((one) => one.role === "assistant");
    const last = messages.at(-1);
    if (open !== undefined && role === "assistant" && open.id === id)
      open.blocks.push(...blocksOf(line));
    else if (role === "user" && last?.role === "user") last.blocks.push(...blocksOf(line));
    else messages.push({ role, id, blocks: [...blocksOf(line)] });
  }
  for (const [index, { role, blocks }] of messages.entries()) {
    const calls = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const next = messages[index + 1];
    const isNext = next?.role === "user" ? next.blocks : [];
    const results = new Set(
      isNext.flatMap((block) => (block["type"] === "tool_result" ? [block["tool_use_id"]] : [])),
    );
    for (const id of calls) if (!results.has(id)) faults.push("a call has no result behind it");
    if (role === "user") {
      const before = new Set(messages[index - 1]?.blocks.map(({ id }) => id));
      const own = blocks.flatMap((block) =>
        block["type"] === "tool_result" ? [block["tool_use_id"]] : [],
      );
      if (own.some((id) => !before.has(id))) faults.push("a result has no call before it");
      if (new Set(own).size < own.length) faults.push("a call has two results");
    }
    if (role === "assistant" && blocks.at(-1)?.["type"] === "thinking")
      faults.push("thinking ends an answer");
    if (blocks.some(({ type, text }) => type === "text" && text === ""))
      faults.push("an empty text");
    if (HALF.test(textOf(blocks))) faults.push("half a surrogate pair");
  }
  return faults;
}

/** All strings of a value, unescaped. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null
    ? Object.values(value).map(textOf).join("\n")
    : "";
}

const TYPES = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"]);

/** Goes on with a rollout of Codex: the newest replacement, and every item behind it. */
export function resumeCodex(lines: readonly string[]): Resumed {
  const faults: string[] = [];
  const all = parsedLines(lines, faults);
  if (all[0]?.["type"] !== "session_meta") faults.push("the session does not begin with its facts");
  let items: Json[] = [];
  for (const { type, payload, timestamp } of all) {
    if (typeof timestamp !== "string" || !TYPES.has(String(type))) faults.push("a line of no kind");
    const said = isObject(payload) ? payload : {};
    if (type === "response_item") items.push(said);
    if (type === "compacted" && Array.isArray(said["replacement_history"]))
      items = [...objectsIn(said["replacement_history"])];
  }
  const isCall = (item: Json): boolean =>
    String(item["type"]).endsWith("_call") && "call_id" in item;
  const isOutput = (item: Json): boolean => String(item["type"]).endsWith("_output");
  for (const [index, item] of items.entries()) {
    const own = (one: Json): boolean => one["call_id"] === item["call_id"];
    if (isCall(item) && items.slice(index).filter((one) => isOutput(one) && own(one)).length !== 1)
      faults.push("a call has not one output behind it");
    if (isCall(item) && items.filter((one) => isCall(one) && own(one)).length > 1)
      faults.push("two calls have one id");
    if (isOutput(item) && !items.slice(0, index).some((one) => isCall(one) && own(one)))
      faults.push("an output has no call before it");
    if (HALF.test(textOf(item))) faults.push("half a surrogate pair");
  }
  return {
    faults,
    words: items.map(({ content, output, arguments: input }) => textOf([content, output, input])),
  };
}
