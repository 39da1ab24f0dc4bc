import type { TokenCounter } from "@agent-history/core";
import { o200kBaseCounter } from "@agent-history/tokens/o200k-base";
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";

import { inspectPlans } from "../src/inspect-plans.ts";
import type { CallColumn, InspectorData } from "../src/inspector-data.ts";
import { callEntries, carriedCounter, stepNames, whatIf } from "../src/what-if.ts";
import type { WhatIf } from "../src/what-if.ts";
import { carriedRanks } from "./carried-encoder.ts";
import { decisionAt, isSent, number, rowKind, rowLine, rowsOf } from "./cells.ts";
import { Choices, EntryLine } from "./controls.tsx";
import { Legend } from "./legend.tsx";
import { call, data, select, selectedRow } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

/** The changed options; an empty object repeats the original fit. */
const asked = signal<WhatIf>({});

/** Fits the selected call again under another window, scorer or list of steps, whenever an option changes. */
export function WhatIfView(): JSX.Element {
  return (
    <div class="split">
      <section class="result" aria-label="Result">
        {call.value && <Result column={call.value} />}
      </section>
      <section class="details" aria-label="Options" tabIndex={0}>
        <Options />
      </section>
    </div>
  );
}

/** The controls for the options. */
function Options(): JSX.Element {
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <h2>What if</h2>
      <p class="hint">
        These are the options of the selected call. Change one to fit the call again, without a
        previous plan. Entries keep their token counts; text that the fit shortens is{" "}
        {exactCounter(data.value) === undefined
          ? "estimated by its length"
          : `counted by ${data.value.counterId}`}
        .
        {call.value?.request === undefined &&
          " This call was recorded, not planned: all entries before it are fitted, without the tool's own instructions."}
      </p>
      <Window />
      <h3>Scorer</h3>
      <Choices
        label="Scorer"
        names={["none", "lexical"]}
        chosen={asked.value.scorer ?? "none"}
        choose={(scorer) => ask({ scorer })}
        text={(name) => (name === "none" ? "none: oldest first" : "lexical: by relevance")}
      />
      <h3>Steps</h3>
      <Choices
        label="Steps"
        names={["default", "masking"]}
        chosen={asked.value.steps ?? "default"}
        choose={(steps) => ask({ steps, without: [] })}
        text={(name) => (name === "default" ? "default" : "masking: old tool results first")}
      />
      <Steps />
      <p>
        <button type="button" onClick={() => (asked.value = {})}>
          Reset
        </button>
      </p>
    </form>
  );
}

function Window(): JSX.Element {
  const window = windowOf(call.value);
  return (
    <label>
      Context window in tokens{" "}
      <input
        type="number"
        min={1}
        step={1}
        value={asked.value.contextTokens ?? (Number.isFinite(window) ? window : "")}
        placeholder="unlimited"
        onInput={({ currentTarget: { valueAsNumber } }) =>
          ask({ contextTokens: valueAsNumber >= 1 ? Math.floor(valueAsNumber) : undefined })
        }
      />
    </label>
  );
}

function Steps(): JSX.Element {
  const { without = [] } = asked.value;
  const take = (name: string, isTaken: boolean): void =>
    ask({ without: isTaken ? without.filter((one) => one !== name) : [...without, name] });
  return (
    <fieldset>
      <legend>Steps of the fit, least destructive first</legend>
      {stepNames(asked.value).map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={!without.includes(name)}
            onChange={({ currentTarget }) => take(name, currentTarget.checked)}
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the window of a call in tokens, including output reserve and margin. */
function windowOf(column: CallColumn | undefined): number {
  return column?.request?.window.contextTokens ?? column?.windowTokens ?? Infinity;
}

/** Compares the result of another fit with what was sent. */
function Result({ column }: { readonly column: CallColumn }): JSX.Element {
  const now = answer.value;
  if ("problem" in now) {
    return (
      <p class="problem" role="status">
        {now.problem}
      </p>
    );
  }
  const other = now.column;
  const rows = rowsOf(column.runs);
  const moved = rows.filter(
    (row) => decisionAt(column, row)?.state !== decisionAt(other, row)?.state,
  );
  return (
    <>
      <div role="status">
        <h2>
          {number(other.totalTokens)} tokens{" "}
          <small>{other === column ? "as sent" : `instead of ${number(column.totalTokens)}`}</small>
        </h2>
        <p>
          {number(moved.length)} of {number(rows.length)} entries would change.
        </p>
        <Legend column={other} before={column} />
      </div>
      <VirtualList
        label="Entries with these options"
        count={rows.length}
        rowHeight={46}
        row={(index) => <Line row={rows[index] ?? 0} was={column} is={other} />}
      />
    </>
  );
}

interface Compared {
  readonly was: CallColumn;
  readonly is: CallColumn;
}

function Line({ row, was, is }: Compared & { readonly row: number }): JSX.Element {
  const all = data.value;
  const [before, after] = [decisionAt(was, row)?.state, decisionAt(is, row)];
  const state = after?.state ?? "dropped";
  const text = is.edits.find((edit) => edit.row === row)?.text.slice(0, 160) ?? rowLine(all, row);
  return (
    <EntryLine
      states={[before, state]}
      kind={rowKind(all, row)}
      text={text}
      isGone={!isSent(state)}
      why={[
        `${before === state ? state : `${before ?? "not in view"} → ${state}`}: ${after?.reason}`,
      ]}
      aria-pressed={row === selectedRow.value}
      onClick={() => select({ row })}
    />
  );
}

/** The column of another fit, with the page's rows; or the reason why there is none. */
const answer = computed<{ readonly column: CallColumn } | { readonly problem: string }>(() => {
  const [all, column] = [data.value, call.value];
  if (column === undefined) return { problem: "No call is selected." };
  if (Object.values(asked.value).every((value) => value === undefined)) return { column };
  try {
    return { column: fitAgain(all, column, asked.value) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
});

function ask(more: Partial<WhatIf>): void {
  asked.value = { ...asked.value, ...more };
}

let carried: TokenCounter | undefined;

/** Returns a counter for text that is not in a row, if the page carries the token table that counted its rows. */
function exactCounter({ counterId }: InspectorData): TokenCounter | undefined {
  if (carried === undefined && carriedRanks() !== "") carried = o200kBaseCounter();
  return carried?.id === counterId ? carried : undefined;
}

function fitAgain(all: InspectorData, column: CallColumn, conditions: WhatIf): CallColumn {
  const estimate = exactCounter(all);
  const plan = whatIf(all, column, { ...conditions, estimate });
  const counter = carriedCounter(all, column, estimate);
  // The rows of the page are the log, so that the new column has the same rows.
  const plans = [{ plan, entries: callEntries(all, column) }];
  const [other] = inspectPlans({ plans, entries: all.entries, counter }).calls;
  if (other === undefined) throw new Error("The fit has no plan.");
  return other;
}
