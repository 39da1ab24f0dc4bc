import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { decisionAt, isSent, number, rowKind, rowLine, rowsOf, STATES } from "./cells.ts";
import { stateCounts, Swatch } from "./legend.tsx";
import { data, select, selectedRow } from "./page-state.ts";
import { RowText } from "./row-text.tsx";
import { VirtualList } from "./virtual-list.tsx";
import { answer } from "./what-if-state.ts";

/** What another fit would have sent, beside what was sent. */
export function WhatIfResult({ column }: { readonly column: CallColumn }): JSX.Element {
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
  const line = (index: number): JSX.Element => (
    <Line row={rows[index] ?? 0} was={column} is={other} />
  );
  return (
    <>
      <div role="status">
        <h2>
          {number(other.totalTokens)} tokens{" "}
          <small>
            {other === column ? "as it was sent" : `instead of ${number(column.totalTokens)}`}
          </small>
        </h2>
        <p>
          {number(moved.length)} of {number(rows.length)} entries would become something else.
        </p>
        <StateCounts before={column} after={other} />
      </div>
      <VirtualList
        label="Entries under these conditions"
        count={rows.length}
        rowHeight={46}
        row={line}
      />
    </>
  );
}

interface LineProps {
  readonly row: number;
  readonly was: CallColumn;
  readonly is: CallColumn;
}

function Line({ row, was, is }: LineProps): JSX.Element {
  const all = data.value;
  const [before, after] = [decisionAt(was, row)?.state, decisionAt(is, row)];
  const state = after?.state ?? "dropped";
  const text = is.edits.find((edit) => edit.row === row)?.text.slice(0, 160) ?? rowLine(all, row);
  return (
    <button
      type="button"
      class="entry"
      aria-pressed={row === selectedRow.value}
      onClick={() => select({ row })}
    >
      <Swatch state={before} />
      <Swatch state={state} />
      <span class="kind">{rowKind(all, row)}</span>
      <RowText text={text} isSent={isSent(state)} />
      <span class="why">
        {before === state ? state : `${before ?? "not in view"} → ${state}`}: {after?.reason}
      </span>
    </button>
  );
}

interface CountsProps {
  readonly before: CallColumn;
  readonly after: CallColumn;
}

function StateCounts({ before, after }: CountsProps): JSX.Element {
  const [was, is] = [stateCounts(before), stateCounts(after)];
  const states = [...new Set([...was.keys(), ...is.keys()])];
  return (
    <ul class="legend">
      {states.map((state) => (
        <li key={state} title={STATES[state]}>
          <Swatch state={state} />
          {state} {number(was.get(state) ?? 0)} → {number(is.get(state) ?? 0)}
        </li>
      ))}
    </ul>
  );
}
