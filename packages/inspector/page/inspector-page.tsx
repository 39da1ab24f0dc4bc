import type { JSX } from "preact";

import { LENGTH_COUNTER_ID } from "../src/length-counter.ts";
import { number } from "./cells.ts";
import { CompactionsView } from "./compactions-view.tsx";
import { Choices } from "./controls.tsx";
import { CostView } from "./cost-view.tsx";
import { HeatMapView } from "./heat-map-view.tsx";
import { call, data, open, select, selectedCall, tab, TABS } from "./page-state.ts";
import type { TabId } from "./page-state.ts";
import { RequestsView } from "./requests-view.tsx";
import { RolesView } from "./roles-view.tsx";
import { WhatIfView } from "./what-if-view.tsx";

const VIEWS: Readonly<Record<TabId, () => JSX.Element>> = {
  cost: CostView,
  map: HeatMapView,
  roles: RolesView,
  requests: RequestsView,
  compactions: CompactionsView,
  "what-if": WhatIfView,
};

/** The page: tabs, the selected call, and one view. */
export function InspectorPage(): JSX.Element {
  const { title, calls, problems } = data.value;
  const View = VIEWS[tab.value];
  const { about, look } = TABS.find(({ id }) => id === tab.value) ?? TABS[0];
  return (
    <>
      <header>
        <h1>{title}</h1>
        <Facts />
        <CallPicker />
        <Choices
          label="Views"
          names={TABS.map(({ id }) => id)}
          chosen={tab.value}
          choose={open}
          text={(name) => TABS.find(({ id }) => id === name)?.label ?? name}
        />
      </header>
      {problems.length > 0 && (
        <details class="problems" open={problems.length < 3}>
          <summary>Problems: {problems.length}</summary>
          <ul>
            {problems.slice(0, 50).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
      <main>
        <div id="view">
          <p class="about">
            {about} <span>{look}</span>
          </p>
          {calls.length === 0 ? (
            <p class="empty">No model calls yet. A live page shows each call when it is made.</p>
          ) : (
            <View />
          )}
        </div>
      </main>
    </>
  );
}

/** Shows a line of facts: folder, date, models, size. */
function Facts(): JSX.Element {
  const { project, entries, calls, counterId } = data.value;
  const [atMs] = calls.flatMap((one) => one.atMs ?? []);
  const [model, ...others] = new Set(calls.flatMap((one) => one.model ?? []));
  const facts = [
    project,
    // Times of test data begin at zero.
    atMs !== undefined && atMs > 1e12 ? new Date(atMs).toISOString().slice(0, 10) : undefined,
    model === undefined ? undefined : `${model}${others.length > 0 ? ` +${others.length}` : ""}`,
    calls.length === 1 ? "1 call" : `${number(calls.length)} calls`,
    entries.length === 1 ? "1 entry" : `${number(entries.length)} entries`,
    counterId === LENGTH_COUNTER_ID
      ? "tokens estimated by length"
      : `tokens counted with ${counterId}`,
  ];
  return (
    <p class="facts">
      <bdi>{facts.filter((fact) => fact !== undefined).join(" · ")}</bdi>
    </p>
  );
}

function CallPicker(): JSX.Element {
  const { calls } = data.value;
  const step = (by: number) => () => select({ call: selectedCall.value + by });
  return (
    <div class="picker">
      <button type="button" aria-label="Previous call" onClick={step(-1)}>
        ‹
      </button>
      <label>
        Call{" "}
        <input
          type="number"
          min={1}
          max={calls.length}
          value={selectedCall.value + 1}
          onInput={({ currentTarget }) => select({ call: Number(currentTarget.value) - 1 })}
        />{" "}
        of {calls.length}
      </label>
      <button type="button" aria-label="Next call" onClick={step(1)}>
        ›
      </button>
      <bdi class="label">{call.value?.label}</bdi>
    </div>
  );
}
