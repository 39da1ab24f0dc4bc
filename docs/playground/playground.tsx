import { isHistoryError } from "@agent-history/core";
import { inspectorPage } from "@agent-history/inspector";
import type { InspectorData } from "@agent-history/inspector";
import { signal } from "@preact/signals";
import { render } from "preact";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";

import { API_NAMES, APIS, fitPasted } from "./fit-pasted.ts";
import type { Asked, FittedPaste } from "./fit-pasted.ts";
import { SAMPLES } from "./samples.ts";
import { askedBy, linkTo } from "./share-link.ts";

// oxlint-disable-next-line import/no-unassigned-import -- a style has no name
import "./playground.css";

const asked = signal<Asked>({ text: "", model: "gpt-5" });
/** The fit, or what is wrong with the question. */
const answer = signal<FittedPaste | string | undefined>(undefined);
const note = signal("");

/** Draws the playground into an element; what it returns takes it away. */
export function drawPlayground(place: HTMLElement): () => void {
  render(<Page />, place);
  void askedBy(window.location.hash).then((linked) => linked && ask(linked));
  return () => render(undefined, place);
}

function change(part: Partial<Asked>): Promise<void> {
  return ask({ ...asked.value, ...part });
}

/** Fits; the answer to a question that has changed since is not shown. */
async function ask(question: Asked): Promise<void> {
  asked.value = question;
  note.value = "";
  const found = question.text.trim() === "" ? undefined : await fitWithTable(question).catch(said);
  if (asked.value === question) answer.value = found;
}

/** Loads a table of tokens, a megabyte, which every counter of the page has from its first count on. */
async function fitWithTable(question: Asked): Promise<FittedPaste> {
  const { o200kBaseCounter } = await import("@agent-history/tokens/o200k-base");
  o200kBaseCounter().countText("a");
  try {
    return await fitPasted(question);
  } catch (error) {
    if (!isHistoryError(error) || error.details["received"] !== "cl100k_base") throw error;
    const { cl100kBaseCounter } = await import("@agent-history/tokens/cl100k-base");
    cl100kBaseCounter().countText("a");
    return fitPasted(question);
  }
}

function said(error: unknown): string {
  return isHistoryError(error) ? `${error.message} (${error.code})` : String(error);
}

function Page(): JSX.Element {
  const { value } = answer;
  return (
    <>
      <h1>Playground</h1>
      <p>
        Paste messages of any format, or a session of a coding agent. See what a provider would
        refuse, and what the model would be sent. Nothing leaves this page.
      </p>
      <Question />
      <div aria-live="polite">{typeof value === "string" && <p class="problem">{value}</p>}</div>
      {typeof value === "object" && (
        <>
          <Headline {...value} />
          <Faults {...value} />
          <Inspector drawn={value.drawn} />
          <Request {...value} />
        </>
      )}
    </>
  );
}

/** What is pasted, and how it is to be fitted. */
function Question(): JSX.Element {
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    void event.dataTransfer?.files[0]
      ?.text()
      .then((file) => change({ text: file, api: undefined }));
  };
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <p>
        Begin with{" "}
        {Object.entries(SAMPLES).map(([name, sample]) => (
          <button key={name} type="button" onClick={() => ask(sample)}>
            {name}
          </button>
        ))}
      </p>
      <label>
        Messages
        <textarea
          rows={8}
          placeholder='[{ "role": "user", "content": … }], a whole request, a message on each line, or drop a file'
          value={asked.value.text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value, api: undefined })}
          onDragOver={(event) => event.preventDefault()}
          onDrop={drop}
        />
      </label>
      <Controls />
    </form>
  );
}

function Controls(): JSX.Element {
  const now = asked.value;
  const found = typeof answer.value === "object" ? answer.value.api : "openai-chat";
  return (
    <div class="controls">
      <label>
        Sent to
        <select
          value={now.api ?? found}
          onChange={({ currentTarget }) => change({ api: API_NAMES[currentTarget.selectedIndex] })}
        >
          {API_NAMES.map((name) => (
            <option key={name} value={name}>
              {APIS[name].label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <input
          value={now.model}
          onChange={({ currentTarget }) => change({ model: currentTarget.value.trim() })}
        />
      </label>
      <label>
        Window, in tokens
        <input
          type="number"
          min={1}
          step={500}
          placeholder="the model's"
          value={now.windowTokens ?? ""}
          onChange={({ currentTarget: { value } }) =>
            change({
              windowTokens: value === "" ? undefined : Math.max(1, Math.trunc(+value)),
            })
          }
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={now.quotes === true}
          onChange={({ currentTarget }) => change({ quotes: currentTarget.checked })}
        />{" "}
        Quote old messages that help
      </label>
    </div>
  );
}

/** The figures, in one sentence, with a bar of the window. */
function Headline({ drawn, plan, roomTokens }: FittedPaste): JSX.Element {
  const { requestTokens, totalTokens, estimated = false } = plan;
  const before = drawn.tokens.reduce((sum, tokens) => sum + tokens, requestTokens);
  const text = [before, totalTokens, roomTokens].map((tokens) => tokens.toLocaleString("en"));
  return (
    <p class="headline">
      <strong>
        {estimated && "about "}
        {text[0]} → {text[1]} tokens
      </strong>{" "}
      of the {text[2]} that the window leaves.
      <meter max={roomTokens} value={totalTokens} aria-label="Share of the window" />
    </p>
  );
}

function Faults({ faults, api }: FittedPaste): JSX.Element {
  const { label } = APIS[api];
  if (faults.length === 0) return <p>{label} would take these messages as they are.</p>;
  return (
    <section class="problem">
      <h2>
        {label} would refuse this: {faults.length} {faults.length === 1 ? "fault" : "faults"},
        repaired below
      </h2>
      <ul>
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

/** The inspector's page, in a frame: it has styles of its own, and a policy by which it loads nothing. */
function Inspector({ drawn }: { readonly drawn: InspectorData }): JSX.Element {
  const address = useMemo(
    () => URL.createObjectURL(new Blob([inspectorPage(drawn)], { type: "text/html" })),
    [drawn],
  );
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return (
    <>
      <h2>What became of each message</h2>
      <iframe title="What became of each message" sandbox="allow-scripts" src={`${address}#map`} />
    </>
  );
}

function Request({ api, sent }: FittedPaste): JSX.Element {
  return (
    <section>
      <h2>The request</h2>
      <pre dir="auto" tabIndex={0}>
        {sent.slice(0, 200_000)}
      </pre>
      <button type="button" onClick={() => copy(sent, "Copied the request.")}>
        Copy the request
      </button>
      <button type="button" onClick={share}>
        Copy a link to this
      </button>
      <span role="status">{note.value}</span>
      <p>
        The same in your program: <a href={`./guide/${APIS[api].guide}`}>{APIS[api].label}</a>.
      </p>
    </section>
  );
}

async function share(): Promise<void> {
  const link = await linkTo(asked.value);
  if (link === undefined) {
    note.value = "This is too long for a link.";
    return;
  }
  window.location.hash = link;
  await copy(
    window.location.href,
    "Copied. The link holds the messages themselves: who has it can read them.",
  );
}

async function copy(text: string, done: string): Promise<void> {
  const refused = (): string => "The browser does not let the page copy.";
  note.value = await navigator.clipboard.writeText(text).then(() => done, refused);
}
