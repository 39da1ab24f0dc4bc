import { isHistoryError } from "@agent-history/core";
import type { PlannedReasoning } from "@agent-history/core";
import { computed, signal } from "@preact/signals";
import { render } from "preact";
import type { JSX } from "preact";

import {
  decisionAt,
  dollars,
  isSent,
  number,
  percent,
  rowKind,
  rowLine,
  rowText,
  STATES,
} from "../../packages/inspector/page/cells.ts";
import { codeSample } from "./code-sample.ts";
import { APIS, fitPasted } from "./fit-pasted.ts";
import type { Api, Asked, FittedPaste } from "./fit-pasted.ts";
import { SAMPLES } from "./samples.ts";
import { askedBy, linkTo } from "./share-link.ts";

const MODELS = ["gpt-5", "gpt-4o", "claude-opus-5-5", "claude-haiku-4-5", "gemini-3-pro-preview"];

/** More rows are listed on request: a long session has thousands. */
const ROWS_AT_ONCE = 300;

const asked = signal<Asked>({ text: "", model: "gpt-5" });
const fitted = signal<FittedPaste | { readonly problem: string } | undefined>(undefined);
const selected = signal<number | undefined>(undefined);
const rowsShown = signal(ROWS_AT_ONCE);
const note = signal("");

let latest = 0;

/** Draws the playground into an element; what it returns takes it away. */
export function drawPlayground(place: HTMLElement): () => void {
  render(<Page />, place);
  const { hash } = window.location;
  if (hash.length > 1) void askedBy(hash).then((linked) => linked && ask(linked));
  return () => render(undefined, place);
}

/** Fits again with what changes; an answer that is no longer asked for is not shown. */
async function ask(change: Partial<Asked>): Promise<void> {
  asked.value = { ...asked.value, ...change };
  const mine = (latest += 1);
  selected.value = undefined;
  rowsShown.value = ROWS_AT_ONCE;
  note.value = "";
  if (asked.value.text.trim() === "") {
    fitted.value = undefined;
    return;
  }
  try {
    const answer = await fitWithTable(asked.value);
    if (mine === latest) fitted.value = answer;
  } catch (error) {
    if (mine === latest) fitted.value = { problem: problemOf(error) };
  }
}

/** Brings a table of tokens, a megabyte, which every counter of the page has from its first count on. */
async function fitWithTable(wanted: Asked): Promise<FittedPaste> {
  const { o200kBaseCounter } = await import("@agent-history/tokens/o200k-base");
  o200kBaseCounter().countText("a");
  try {
    return await fitPasted(wanted);
  } catch (error) {
    if (!isHistoryError(error) || error.details["received"] !== "cl100k_base") throw error;
    const { cl100kBaseCounter } = await import("@agent-history/tokens/cl100k-base");
    cl100kBaseCounter().countText("a");
    return fitPasted(wanted);
  }
}

function problemOf(error: unknown): string {
  if (isHistoryError(error)) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

function Page(): JSX.Element {
  const answer = fitted.value;
  return (
    <>
      <header>
        <h1>Playground</h1>
        <p>
          Paste messages of any format, or a session of a coding agent. See what a provider would
          refuse, and what the model would be sent. Nothing leaves this page.
        </p>
      </header>
      <Question />
      <div aria-live="polite">
        {answer !== undefined && "problem" in answer && <p class="problem">{answer.problem}</p>}
      </div>
      {answer !== undefined && !("problem" in answer) && <Answer answer={answer} />}
    </>
  );
}

/** What is pasted, and how it is to be fitted. */
function Question(): JSX.Element {
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <p class="samples">
        Begin with{" "}
        {Object.entries(SAMPLES).map(([name, sample]) => (
          <button key={name} type="button" onClick={() => ask({ ...EMPTY, ...sample })}>
            {name}
          </button>
        ))}
      </p>
      <label class="paste">
        Messages
        <textarea
          rows={8}
          spellcheck={false}
          placeholder='[{ "role": "user", "content": … }], a whole request, a message on each line, or drop a file'
          value={asked.value.text}
          onInput={({ currentTarget }) => ask({ text: currentTarget.value, api: undefined })}
          onDragOver={(event) => event.preventDefault()}
          onDrop={dropped}
        />
      </label>
      <Controls />
    </form>
  );
}

function Controls(): JSX.Element {
  const { api, model, windowTokens, quotes } = asked.value;
  const answer = fitted.value;
  const found = answer !== undefined && "api" in answer ? answer.api : undefined;
  return (
    <div class="controls">
      <label>
        Sent to
        <select
          value={api ?? found ?? "openai-chat"}
          onChange={({ currentTarget }) => ask({ api: apiNamed(currentTarget.value) })}
        >
          {Object.entries(APIS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <input
          list="playground-models"
          value={model}
          onChange={({ currentTarget }) => ask({ model: currentTarget.value.trim() })}
        />
        <datalist id="playground-models">
          {MODELS.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Window, in tokens
        <input
          type="number"
          min={0}
          step={500}
          placeholder="the model's"
          value={windowTokens ?? ""}
          onChange={({ currentTarget }) => ask({ windowTokens: tokensIn(currentTarget.value) })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={quotes === true}
          onChange={({ currentTarget }) => ask({ quotes: currentTarget.checked })}
        />
        Quote old messages that help
      </label>
    </div>
  );
}

function tokensIn(typed: string): number | undefined {
  return typed === "" ? undefined : Math.max(0, Math.trunc(Number(typed)));
}

const EMPTY: Asked = {
  text: "",
  model: "gpt-5",
  api: undefined,
  windowTokens: undefined,
  quotes: false,
};

function apiNamed(name: string): Api | undefined {
  return (["openai-chat", "openai-responses", "anthropic", "google", "ai-sdk"] as const).find(
    (api) => api === name,
  );
}

async function dropped(event: DragEvent): Promise<void> {
  const file = event.dataTransfer?.files[0];
  if (file === undefined) return;
  event.preventDefault();
  await ask({ text: await file.text(), api: undefined });
}

function Answer({ answer }: { readonly answer: FittedPaste }): JSX.Element {
  return (
    <>
      <Headline answer={answer} />
      <Faults answer={answer} />
      <section aria-labelledby="became">
        <h2 id="became">What became of each message</h2>
        <Rows answer={answer} />
      </section>
      <section aria-labelledby="request">
        <h2 id="request">The request</h2>
        <details>
          <summary>The messages that are sent, as JSON</summary>
          <pre dir="auto">{answer.sent.slice(0, 200_000)}</pre>
        </details>
        <Copy text={answer.sent} what="the messages" />
        <h3>The same in your program</h3>
        <pre class="code">{codeSample(answer.api, asked.value)}</pre>
        <Copy text={codeSample(answer.api, asked.value)} what="the code" />
        <button type="button" onClick={share}>
          Copy a link to this
        </button>
        <span class="note" role="status">
          {note.value}
        </span>
      </section>
    </>
  );
}

/** The figures, in one sentence, with a bar of the window. */
function Headline({ answer }: { readonly answer: FittedPaste }): JSX.Element {
  const { tokensBefore, tokensAfter, roomTokens, isEstimated, inputPrice, reasoning } = answer;
  const about = isEstimated ? "about " : "";
  const cost = (tokens: number): string => dollars((tokens * (inputPrice ?? 0)) / 1e6);
  return (
    <section class="headline">
      <p>
        <strong>
          {about}
          {number(tokensBefore)} → {number(tokensAfter)} tokens
        </strong>
        , {percent(tokensAfter, roomTokens)} of the {number(roomTokens)} that the window leaves.
        {inputPrice !== undefined && (
          <>
            {" "}
            The input of one call costs {cost(tokensAfter)} in place of {cost(tokensBefore)}.
          </>
        )}
        {reasoning !== undefined && ` ${reasoningSentence(reasoning)}`}
      </p>
      <div class="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, (100 * tokensAfter) / roomTokens)}%` }} />
      </div>
    </section>
  );
}

const LEFT_OUT = {
  room: "to make room",
  prefix: "since what stands before it has changed",
  reader: "since another model made it",
};

/** What becomes of the reasoning; empty where there is none. */
function reasoningSentence({ valid, leftOut, givenUp }: PlannedReasoning): string {
  const parts = [
    ...(valid.blocks > 0 ? [`${number(valid.tokens)} tokens stay valid`] : []),
    ...leftOut.map(({ tokens, reason }) => `${number(tokens)} are left out ${LEFT_OUT[reason]}`),
    ...(givenUp.blocks > 0 ? [`${number(givenUp.tokens)} go with their messages`] : []),
  ];
  return parts.length === 0 ? "" : `Of its reasoning, ${parts.join(", ")}.`;
}

function Faults({ answer: { faults, api } }: { readonly answer: FittedPaste }): JSX.Element {
  const { label } = APIS[api];
  if (faults.length === 0)
    return <p class="fine">{label} would take these messages as they are.</p>;
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">
        {label} would refuse this: {faults.length} {faults.length === 1 ? "fault" : "faults"},
        repaired below
      </h2>
      <ul class="faults">
        {faults.slice(0, 100).map(({ rule, index, remedy, source }, nth) => (
          <li key={nth}>
            <b>{rule}</b>
            {index === undefined ? "" : ` in message ${index + 1}`}: {remedy}{" "}
            <a href={source} rel="noreferrer">
              source
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const most = computed(() => {
  const answer = fitted.value;
  if (answer === undefined || "problem" in answer) return 1;
  return answer.drawn.tokens.reduce((max, tokens) => Math.max(max, tokens), 1);
});

function Rows({
  answer: { drawn, call, repaired },
}: {
  readonly answer: FittedPaste;
}): JSX.Element {
  const { entries, tokens } = drawn;
  return (
    <>
      <ol class="rows">
        {entries.slice(0, rowsShown.value).map((entry, row) => {
          const decision = decisionAt(call, row);
          const state = decision?.state ?? "kept";
          const edit = call.edits.find((one) => one.row === row);
          const isOpen = selected.value === row;
          const [before = 0] = [tokens[row]];
          const after = edit?.tokens ?? (isSent(state) ? before : 0);
          return (
            <li key={entry.id} class={state}>
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => (selected.value = isOpen ? undefined : row)}
              >
                <span class="kind">{rowKind(drawn, row)}</span>
                <span class="state">
                  {state === "kept" && repaired.has(entry.id) ? "kept, repaired" : state}
                </span>
                <bdi class="text">{rowLine(drawn, row)}</bdi>
                <span class="tokens">{number(after)}</span>
                <i style={{ width: `${(100 * before) / most.value}%` }}>
                  <i
                    style={{ width: `${(100 * Math.min(after, before)) / Math.max(1, before)}%` }}
                  />
                </i>
              </button>
              {isOpen && (
                <div class="details">
                  <p>
                    {STATES[state]}
                    {decision && `: ${decision.reason}`}. {number(before)} tokens as it came.
                  </p>
                  {edit !== undefined && <pre dir="auto">{edit.text.slice(0, 20_000)}</pre>}
                  <pre dir="auto">{rowText(drawn, row).slice(0, 20_000)}</pre>
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {entries.length > rowsShown.value && (
        <button type="button" onClick={() => (rowsShown.value += ROWS_AT_ONCE * 10)}>
          Show more of {number(entries.length)}
        </button>
      )}
    </>
  );
}

function Copy({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(text).then(
      () => void (note.value = `Copied ${what}.`),
      () => void (note.value = "The browser does not let the page copy."),
    );
  return (
    <button type="button" onClick={copy}>
      Copy {what}
    </button>
  );
}

async function share(): Promise<void> {
  const link = await linkTo(asked.value);
  if (link === undefined) {
    note.value = "This is too long for a link.";
    return;
  }
  window.location.hash = link;
  await navigator.clipboard.writeText(window.location.href).then(
    () =>
      (note.value = "Copied. The link holds the messages themselves: who has it can read them."),
    () => (note.value = "The link is in the address bar."),
  );
}
