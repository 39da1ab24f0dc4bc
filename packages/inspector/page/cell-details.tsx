import type { JSX } from "preact";

import type { CallColumn, CellState } from "../src/inspector-data.ts";
import {
  clipped,
  decisionAt,
  number,
  rowKind,
  rowText,
  STATES,
  WITHOUT_REASONING,
} from "./cells.ts";
import { Definitions } from "./controls.tsx";
import { Swatch } from "./legend.tsx";
import { call, data, lastRow, selectedCall, selectedRow } from "./page-state.ts";

/** Shows what happened to the selected entry in the selected call, which step did it and why, and its states in all calls. */
export function CellDetails(): JSX.Element {
  const all = data.value;
  const row = selectedRow.value;
  const entry = all.entries[row];
  if (entry === undefined) return <section class="details" aria-label="Selected entry" />;
  const edit = call.value?.edits.find((one) => one.row === row);
  return (
    <section class="details" aria-label="Selected entry" tabIndex={0}>
      <div aria-live="polite">
        <Decision column={call.value} row={row} />
      </div>
      {edit !== undefined && (
        <>
          <h3>Sent instead · {number(edit.tokens)} tokens</h3>
          <pre dir="auto">{clipped(edit.text)}</pre>
        </>
      )}
      <h3>
        Entry: {rowKind(all, row)}, {number(all.tokens[row] ?? 0)} tokens
      </h3>
      <p class="id">
        <bdi>{entry.id}</bdi>
        {entry.turnId !== undefined && (
          <>
            {" "}
            · turn <bdi>{entry.turnId}</bdi>
          </>
        )}
      </p>
      <pre dir="auto">{clipped(rowText(all, row))}</pre>
      <h3>In all calls</h3>
      <Life row={row} />
    </section>
  );
}

function Decision({
  column,
  row,
}: {
  readonly column: CallColumn | undefined;
  readonly row: number;
}): JSX.Element {
  const nth = selectedCall.value + 1;
  const decision = column && decisionAt(column, row);
  if (column === undefined || decision === undefined) {
    const isLater = row > lastRow(column);
    return (
      <>
        <h2>{isLater ? `Written after call ${nth}` : `Not visible to call ${nth}`}</h2>
        <p>
          {isLater
            ? "Select a later call to see how it was sent."
            : `The view of ${column?.agent?.id ?? "this call"} does not include it.`}
        </p>
      </>
    );
  }
  const { state, step, reason, tokensBefore, tokensAfter, isEstimated, withoutReasoning } =
    decision;
  const repairs = (column.repairs ?? []).flatMap(([at, what]) => (at === row ? [what] : []));
  const together = rowsOf(column, decision);
  return (
    <>
      <h2>
        <Swatch state={state} />
        {state}{" "}
        <small>
          in call {nth}: {STATES[state]}
        </small>
      </h2>
      <Definitions
        list={[
          ["why", reason],
          ["step", step],
          ["reasoning", withoutReasoning && `left out: ${WITHOUT_REASONING[withoutReasoning]}`],
          ["repaired", ...repairs],
          [
            "tokens",
            `${together > 1 ? `for ${number(together)} entries together: ` : ""}${isEstimated ? "about " : ""}${number(tokensBefore)} → ${number(tokensAfter)}`,
          ],
        ]}
      />
    </>
  );
}

function rowsOf({ runs, decisions }: CallColumn, decision: unknown): number {
  return runs.reduce((sum, [, rows, index]) => sum + (decisions[index] === decision ? rows : 0), 0);
}

/** Shows the runs of calls in which the entry's state was the same. */
function Life({ row }: { readonly row: number }): JSX.Element {
  const runs: { state: CellState | "not in view"; from: number; to: number }[] = [];
  data.value.calls.forEach((column, index) => {
    const state = decisionAt(column, row)?.state ?? "not in view";
    const last = runs.at(-1);
    if (last?.state === state) last.to = index;
    else runs.push({ state, from: index, to: index });
  });
  return (
    <ol class="life">
      {runs.slice(0, 200).map(({ state, from, to }) => (
        <li key={from}>
          <Swatch state={state === "not in view" ? undefined : state} />
          {from === to ? `call ${from + 1}` : `calls ${from + 1}–${to + 1}`}: {state}
        </li>
      ))}
    </ol>
  );
}
