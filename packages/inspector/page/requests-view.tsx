import type { JSX } from "preact";

import type { CallColumn, RequestChange } from "../src/inspector-data.ts";
import { decisionAt, dollars, number, percent, rowKind, rowLine } from "./cells.ts";
import { call, data, open, select, selectedCall } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

/** Calls by how they continue the one before; of the selected one, where it begins to differ and what that cost. */
export function RequestsView(): JSX.Element {
  const { calls } = data.value;
  const row = (index: number): JSX.Element => {
    const column = calls[index];
    const { change } = column ?? {};
    const isBroken = (change?.sentAgainTokens ?? 0) > 0;
    return (
      <button
        type="button"
        class={`entry ${isBroken ? "broken" : ""}`}
        aria-pressed={index === selectedCall.value}
        onClick={() => select({ call: index })}
      >
        <bdi class="kind">{column?.label}</bdi>
        <span class="text">{change === undefined ? "first of its kind" : change.what}</span>
        {isBroken && (
          <span class="why">{number(change?.sentAgainTokens ?? 0)} tokens sent again</span>
        )}
      </button>
    );
  };
  return (
    <>
      <Breaks />
      <div class="split">
        <VirtualList
          label="Calls"
          count={calls.length}
          rowHeight={42}
          row={row}
          shown={selectedCall.value}
        />
        <section
          class="details"
          aria-label="Difference to the call before"
          tabIndex={0}
          aria-live="polite"
        >
          {call.value && <Difference column={call.value} />}
        </section>
      </div>
    </>
  );
}

/** Leads from one request that did not continue the one before to the next. */
function Breaks(): JSX.Element {
  const { calls } = data.value;
  const breaks = calls.flatMap(({ change }, index) =>
    (change?.sentAgainTokens ?? 0) > 0 ? [index] : [],
  );
  const before = breaks.findLast((index) => index < selectedCall.value);
  const after = breaks.find((index) => index > selectedCall.value);
  const jump = (index: number | undefined) => () => index !== undefined && select({ call: index });
  return (
    <div class="bar">
      <span>
        {number(breaks.length)} of {number(calls.length)} requests sent tokens again
      </span>
      <button type="button" disabled={before === undefined} onClick={jump(before)}>
        Previous break
      </button>
      <button type="button" disabled={after === undefined} onClick={jump(after)}>
        Next break
      </button>
    </div>
  );
}

function Difference({ column }: { readonly column: CallColumn }): JSX.Element {
  const { change } = column;
  if (change === undefined)
    return <p>The first call of this agent and purpose: there is nothing to compare it with.</p>;
  const {
    against,
    sameTokens,
    previousTokens,
    what,
    reasons,
    sentAgainTokens,
    costUsd,
    isMeasured,
  } = change;
  const { prices } = data.value;
  return (
    <>
      <h2>Against call {against + 1}</h2>
      <meter
        class="wide"
        min={0}
        max={Math.max(1, column.totalTokens)}
        value={Math.min(sameTokens, column.totalTokens)}
        aria-label="Share of the prompt that is the same"
      />
      <dl class="decision">
        <dt>{isMeasured ? "read from the cache" : "same from the beginning"}</dt>
        <dd>
          {number(sameTokens)} of {number(column.totalTokens)} tokens (
          {percent(sameTokens, column.totalTokens)}); the call before had {number(previousTokens)}
        </dd>
        <dt>first changed token</dt>
        <dd>
          {sentAgainTokens > 0 || change.firstRow !== undefined
            ? `number ${number(sameTokens + 1)}: ${what}`
            : `none: ${what}`}
        </dd>
        <dt>sent again</dt>
        <dd>
          {number(sentAgainTokens)} tokens
          {costUsd !== undefined &&
            sentAgainTokens > 0 &&
            `, ${dollars(costUsd)} more than from the cache (list prices of ${prices.asOf})`}
        </dd>
        {reasons.length > 0 && <dt>why</dt>}
        {reasons.map((reason) => (
          <dd key={reason}>{reason}</dd>
        ))}
      </dl>
      <FirstChange change={change} />
      <ChangedRows column={column} before={data.value.calls[against]} />
    </>
  );
}

function FirstChange({ change }: { readonly change: RequestChange }): JSX.Element | null {
  const { firstRow } = change;
  if (firstRow === undefined) return null;
  const show = (): void => {
    select({ row: firstRow });
    open("map");
  };
  return (
    <>
      <h3>It begins at</h3>
      <p>
        <button type="button" onClick={show}>
          {rowKind(data.value, firstRow)}: <bdi>{rowLine(data.value, firstRow).slice(0, 80)}</bdi>
        </button>
      </p>
    </>
  );
}

const MOST_ROWS = 200;

function ChangedRows({
  column,
  before,
}: {
  readonly column: CallColumn;
  readonly before: CallColumn | undefined;
}): JSX.Element | null {
  if (before === undefined) return null;
  const rows: { readonly row: number; readonly was: string; readonly is: string }[] = [];
  for (let row = 0; row < data.value.entries.length && rows.length < MOST_ROWS; row++) {
    const was = decisionAt(before, row)?.state ?? "not in view";
    const is = decisionAt(column, row)?.state ?? "not in view";
    if (was !== is) rows.push({ row, was, is });
  }
  return (
    <>
      <h3>
        Entries that became something else{rows.length === MOST_ROWS && `: the first ${MOST_ROWS}`}
      </h3>
      <table>
        <thead>
          <tr>
            <th scope="col">entry</th>
            <th scope="col">was</th>
            <th scope="col">is</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, was, is }) => (
            <tr key={row}>
              <td>
                <bdi>{rowLine(data.value, row).slice(0, 60)}</bdi>
              </td>
              <td class="word">{was}</td>
              <td class="word">{is}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
