// oxlint-disable eslint/max-depth, eslint/max-lines-per-function -- a session is written from its first line to its last
import fc from "fast-check";

// Sessions as their tools write them, and what happens to them.

/** One request: how many calls the agent makes at once, and whether their results are logged between the calls. */
const turns = fc.array(
  fc.record({
    calls: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    isBetween: fc.boolean(),
    isThinking: fc.boolean(),
    isNoisy: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

type Turns = typeof turns extends fc.Arbitrary<infer Value> ? Value : never;

const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
const timeOf = (number: number): string =>
  new Date(1_780_000_000_000 + number * 1000).toISOString();

export const claudeSession: fc.Arbitrary<readonly string[]> = fc
  .tuple(turns, fc.boolean())
  .map(([all, isCompacted]) => writeClaude(all, isCompacted));

function writeClaude(all: Turns, isCompacted: boolean): readonly string[] {
  const lines: string[] = [
    JSON.stringify({ type: "summary", summary: "Flights", leafUuid: uuidOf(1) }),
  ];
  let count = 0;
  let last: string | null = null;
  const write = (line: object, parent = last): string => {
    count += 1;
    const uuid = uuidOf(count);
    const facts = {
      isSidechain: false,
      userType: "external",
      cwd: "/work",
      sessionId: uuidOf(0),
      version: "2.1.7",
      gitBranch: "main",
    };
    lines.push(
      JSON.stringify({ parentUuid: parent, ...facts, ...line, uuid, timestamp: timeOf(count) }),
    );
    return uuid;
  };
  const user = (content: unknown, parent?: string | null): string =>
    write({ type: "user", message: { role: "user", content } }, parent ?? last);
  const answer = (id: number, block: object): string =>
    write({
      type: "assistant",
      message: {
        id: `msg_${id}`,
        type: "message",
        role: "assistant",
        model: "claude-opus-4-8",
        content: [block],
        usage: { input_tokens: 9, output_tokens: 9 },
      },
    });
  for (const [number, { calls, isBetween, isThinking, isNoisy }] of all.entries()) {
    if (isCompacted && number === 1) {
      last = write({ type: "system", subtype: "compact_boundary", logicalParentUuid: last }, null);
      last = write({
        type: "user",
        isCompactSummary: true,
        message: { role: "user", content: "This session is being continued." },
      });
    }
    last = user(`Request ${number}`);
    for (const [step, parallel] of calls.entries()) {
      const id = count;
      if (isThinking)
        last = answer(id, { type: "thinking", thinking: `Thought ${count}`, signature: "c2ln" });
      last = answer(id, { type: "text", text: `Step ${number}.${step}` });
      const results: (() => string)[] = [];
      for (let nth = 0; nth < parallel; nth += 1) {
        const call = `toolu_${number}_${step}_${nth}`;
        const parent: string = answer(id, {
          type: "tool_use",
          id: call,
          name: "Bash",
          input: { command: `ls ${call}` },
        });
        last = parent;
        if (isNoisy) write({ type: "progress", data: { type: "hook_progress" } });
        const result = (): string =>
          user([{ tool_use_id: call, type: "tool_result", content: `Files of ${call}` }], parent);
        if (isBetween && nth < parallel - 1) result();
        else results.push(result);
      }
      for (const result of results) last = result();
      if (isNoisy) last = write({ type: "attachment", attachment: { type: "todo_reminder" } });
    }
    last = answer(count, { type: "text", text: `Answer ${number}` });
  }
  return lines;
}

export const codexSession: fc.Arbitrary<readonly string[]> = fc
  .tuple(turns, fc.boolean())
  .map(([all, isCompacted]) => writeCodex(all, isCompacted));

function writeCodex(all: Turns, isCompacted: boolean): readonly string[] {
  const lines: string[] = [];
  const write = (type: string, payload: object): void =>
    void lines.push(JSON.stringify({ timestamp: timeOf(lines.length), type, payload }));
  const message = (role: string, text: string): object => ({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  });
  write("session_meta", { id: uuidOf(0), cwd: "/work", cli_version: "0.99.0" });
  for (const [number, { calls, isBetween, isThinking, isNoisy }] of all.entries()) {
    if (isCompacted && number === 1)
      write("compacted", {
        message: "",
        replacement_history: [message("user", "Request 0"), message("user", "A summary.")],
      });
    write("turn_context", { cwd: "/work", model: "gpt-5.5" });
    write("response_item", message("user", `Request ${number}`));
    for (const [step, parallel] of calls.entries()) {
      if (isThinking)
        write("response_item", { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" });
      const outputs: object[] = [];
      for (let nth = 0; nth < parallel; nth += 1) {
        const call_id = `call_${number}_${step}_${nth}`;
        const isCustom = (step + nth) % 3 === 2;
        write(
          "response_item",
          isCustom
            ? { type: "custom_tool_call", call_id, name: "apply_patch", input: `patch ${call_id}` }
            : {
                type: "function_call",
                call_id,
                name: "shell",
                arguments: JSON.stringify({ cmd: `ls ${call_id}` }),
              },
        );
        const output = {
          type: isCustom ? "custom_tool_call_output" : "function_call_output",
          call_id,
          output: `Files of ${call_id}`,
        };
        if (isBetween) write("response_item", output);
        else outputs.push(output);
      }
      for (const output of outputs) write("response_item", output);
      if (isNoisy) write("event_msg", { type: "token_count", info: null });
    }
    write("response_item", message("assistant", `Answer ${number}`));
  }
  return lines;
}

/** What happens to the file of a session: one or several of these. */
export function sessionBreaks(
  format: "claude-code" | "codex",
): fc.Arbitrary<(lines: readonly string[]) => readonly string[]> {
  const at = fc.nat(200);
  const one = fc.oneof(
    at.map((nth) => dropResult(nth)),
    at.map((nth) => cutBehindCall(nth)),
    at.map((nth) => doubleLine(nth, format)),
    at.map((nth) => joinLines(nth)),
    at.map((nth) => halveSurrogate(nth)),
    at.map((nth) => dropCall(nth)),
    ...(format === "claude-code"
      ? [at.map((nth) => dropMiddle(nth)), at.map((nth) => blankText(nth))]
      : []),
  );
  const last = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
  return fc
    .tuple(fc.array(one, { minLength: 1, maxLength: 3 }), last)
    .map(([breaks, half]) => (lines) => {
      const broken = breaks.reduce<readonly string[]>((now, change) => change(now), lines);
      return half === undefined ? broken : [...broken, (broken.at(-1) ?? "").slice(0, half)];
    });
}

type Break = (lines: readonly string[]) => readonly string[];

const RESULT = /"type":"tool_result"|_output","call_id"/;
const CALL = /"type":"tool_use"|_call","call_id"/;

function placesOf(lines: readonly string[], pattern: RegExp, nth: number): number {
  const places = lines.flatMap((line, index) => (pattern.test(line) ? [index] : []));
  return places.length === 0 ? -1 : (places[nth % places.length] ?? -1);
}

function dropResult(nth: number): Break {
  return (lines) => lines.filter((_, index) => index !== placesOf(lines, RESULT, nth));
}

function dropCall(nth: number): Break {
  return (lines) => lines.filter((_, index) => index !== placesOf(lines, CALL, nth));
}

function cutBehindCall(nth: number): Break {
  return (lines) => {
    const call = placesOf(lines, CALL, nth);
    return call < 0 ? lines : lines.slice(0, call + 1);
  };
}

function doubleLine(nth: number, format: string): Break {
  return (lines) => {
    const line = placesOf(lines, format === "codex" ? /response_item/ : /"uuid"/, nth);
    return line < 0 ? lines : lines.toSpliced(line, 0, lines[line] ?? "");
  };
}

function joinLines(nth: number): Break {
  return (lines) => {
    const line = nth % Math.max(1, lines.length - 1);
    // A compaction that comes back replaces what stands before it.
    const isCut = /compact/i.test(`${lines[line]}${lines[line + 1]}`);
    return lines.length < 2 || isCut
      ? lines
      : lines.toSpliced(line, 2, `${lines[line]}${lines[line + 1]}`);
  };
}

/** Changes a line, wherever it stands. */
function changeLine(pattern: RegExp, nth: number, change: (line: string) => string): Break {
  return (lines) => {
    const changed = lines[placesOf(lines, pattern, nth)];
    return lines.map((line) => (line === changed ? change(line) : line));
  };
}

function halveSurrogate(nth: number): Break {
  return changeLine(RESULT, nth, (line) => line.replace("Files of", String.raw`Files \ud83d of`));
}

function dropMiddle(nth: number): Break {
  return (lines) => {
    const line = placesOf(lines, /"uuid"/, nth);
    return line < 2 || line === lines.length - 1 ? lines : lines.toSpliced(line, 1);
  };
}

function blankText(nth: number): Break {
  return changeLine(/"text":"(?:Step|Answer)/, nth, (line) =>
    line.replace(/"text":"[^"]*"/, '"text":""'),
  );
}
