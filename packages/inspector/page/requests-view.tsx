import type { ReasoningCount } from "@agent-history/core";
import type { ComponentChildren, JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { dollars, number, percent, rowKind, rowLine, WITHOUT_REASONING } from "./cells.ts";
import { Definitions, EntryLine } from "./controls.tsx";
import { call, data, open, select, selectedCall } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

/** A group of consecutive calls that only append, or one call that does not. */
interface CallGroup {
  readonly from: number;
  readonly to: number;
  readonly column: CallColumn;
}

/** Shows calls by how they continue the previous one; for the selected call, where it begins to differ and what that cost. */
export function RequestsView(): JSX.Element {
  const groups = callGroups(data.value.calls);
  const row = (index: number): JSX.Element => {
    const { from = 0, to = 0, column } = groups[index] ?? {};
    const { what = "first call of this agent and purpose", sentAgainTokens = 0 } =
      column?.change ?? {};
    const isBroken = sentAgainTokens > 0;
    const lost = column === undefined ? 0 : lostBlocks(column);
    return (
      <EntryLine
        kind={from === to ? column?.label : `calls ${from + 1} to ${to + 1}`}
        text={
          from === to ? what : `${number(to - from + 1)} calls, each appends to the previous one`
        }
        why={[
          isBroken && `${number(sentAgainTokens)} tokens sent again`,
          lost > 0 && `${number(lost)} reasoning blocks lost`,
        ]}
        class={isBroken ? "broken" : ""}
        aria-pressed={selectedCall.value >= from && selectedCall.value <= to}
        onClick={() => select({ call: to })}
      />
    );
  };
  return (
    <>
      <Breaks />
      <div class="split">
        <VirtualList
          label="Calls"
          count={groups.length}
          rowHeight={42}
          row={row}
          shown={groups.findIndex(({ to }) => selectedCall.value <= to)}
        />
        <section
          class="details"
          aria-label="Difference from the previous call"
          tabIndex={0}
          aria-live="polite"
        >
          {call.value && <Difference column={call.value} />}
          {call.value && <Reasoning column={call.value} />}
        </section>
      </div>
    </>
  );
}

function callGroups(calls: readonly CallColumn[]): readonly CallGroup[] {
  const groups: CallGroup[] = [];
  for (const [index, column] of calls.entries()) {
    const last = groups.at(-1);
    if (last !== undefined && onlyContinues(column) && onlyContinues(last.column))
      groups.splice(-1, 1, { ...last, to: index });
    else groups.push({ from: index, to: index, column });
  }
  return groups;
}

function onlyContinues({ change }: CallColumn): boolean {
  return change !== undefined && change.sentAgainTokens === 0 && change.firstRow === undefined;
}

/** A button to the next request that did not continue its predecessor; after the last one, to the first. */
function Breaks(): JSX.Element {
  const { calls } = data.value;
  const breaks = calls.flatMap(({ change }, index) =>
    (change?.sentAgainTokens ?? 0) > 0 ? [index] : [],
  );
  const after = breaks.find((index) => index > selectedCall.value) ?? breaks[0];
  return (
    <div class="bar">
      <span>
        {number(breaks.length)} of {number(calls.length)} requests sent tokens again
      </span>
      {after !== undefined && (
        <button type="button" onClick={() => select({ call: after })}>
          Next break
        </button>
      )}
    </div>
  );
}

function Difference({ column }: { readonly column: CallColumn }): JSX.Element {
  const { change } = column;
  if (change === undefined)
    return <p>The first call of this agent and purpose has no previous call to compare with.</p>;
  const { against, sameTokens, previousTokens, what, reasons, avoid } = change;
  const { sentAgainTokens, costUsd, isMeasured, firstRow } = change;
  const price =
    costUsd !== undefined && sentAgainTokens > 0
      ? `, ${dollars(costUsd)} more than from the cache (list prices as of ${data.value.prices.asOf})`
      : "";
  return (
    <>
      <h2>Compared with call {against + 1}</h2>
      <meter
        min={0}
        max={Math.max(1, column.totalTokens)}
        value={Math.min(sameTokens, column.totalTokens)}
        aria-label="Share of the prompt that is unchanged"
      />
      <Definitions
        list={[
          [
            isMeasured ? "read from the cache" : "unchanged from the start",
            `${number(sameTokens)} of ${number(column.totalTokens)} tokens (${percent(sameTokens, column.totalTokens)}); the previous call had ${number(previousTokens)}`,
          ],
          [
            "first changed token",
            sentAgainTokens > 0 || firstRow !== undefined
              ? `number ${number(sameTokens + 1)}: ${what}`
              : `none: ${what}`,
          ],
          ["sent again", `${number(sentAgainTokens)} tokens${price}`],
          ["to avoid it", avoid],
          ["why", ...reasons],
        ]}
      />
      {firstRow !== undefined && (
        <>
          <h3>First change</h3>
          <p>
            <ToRow row={firstRow}>
              {rowKind(data.value, firstRow)}:{" "}
              <bdi>{rowLine(data.value, firstRow).slice(0, 80)}</bdi>
            </ToRow>
          </p>
        </>
      )}
    </>
  );
}

/** Returns the number of reasoning blocks that were valid in the previous call but no longer are. */
function lostBlocks({ reasoning, change }: CallColumn): number {
  const before = change && data.value.calls[change.against]?.reasoning;
  return reasoning && before ? Math.max(0, before.valid.blocks - reasoning.valid.blocks) : 0;
}

function Reasoning({ column }: { readonly column: CallColumn }): JSX.Element {
  const { reasoning, repairs = [] } = column;
  const line = ({ blocks, tokens }: ReasoningCount): string =>
    `${number(blocks)} blocks, ${number(tokens)} tokens`;
  const leftOut = reasoning?.leftOut ?? [];
  return (
    <Definitions
      list={[
        ["valid reasoning", reasoning && line(reasoning.valid)],
        [
          "reasoning left out",
          ...leftOut.map((one) => `${line(one)}: ${WITHOUT_REASONING[one.reason]}`),
        ],
        ["removed with its entry", reasoning && line(reasoning.givenUp)],
        [
          "repaired",
          ...repairs.map(([row, what]) => (
            <ToRow row={row}>
              {what}: {rowKind(data.value, row)}
            </ToRow>
          )),
        ],
      ]}
    />
  );
}

function ToRow({
  row,
  children,
}: {
  readonly row: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const show = (): void => {
    select({ row });
    open("map");
  };
  return (
    <button type="button" onClick={show}>
      {children}
    </button>
  );
}
