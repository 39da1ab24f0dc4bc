import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { stepNames } from "../src/what-if.ts";
import { number, percent } from "./cells.ts";
import { call, data } from "./page-state.ts";
import { ask, asked, exactCounter } from "./what-if-state.ts";

/** The options of what if. */
export function WhatIfConditions(): JSX.Element {
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <h2>What if</h2>
      <p class="hint">
        These are the conditions of the call. Change one, and it is fitted again, without a plan
        before it. Entries count what the page carries for them; text that the fit shortens is{" "}
        {exactCounter(data.value) === undefined
          ? "estimated by its length"
          : `counted by ${data.value.counterId}`}
        .
        {call.value?.request === undefined &&
          " The call was recorded, not planned: all entries before it are fitted, without the tool's own instructions."}
      </p>
      <Window />
      <Choice
        label="Scorer"
        value={asked.value.scorer ?? "none"}
        options={{ none: "none: oldest first", lexical: "lexical: by relevance to the question" }}
        choose={(scorer) => ask({ scorer })}
      />
      <Choice
        label="Steps"
        value={asked.value.steps ?? "default"}
        options={{ default: "default", masking: "masking: old tool results first" }}
        choose={(steps) => ask({ steps, without: [] })}
      />
      <Steps />
      <p>
        <button type="button" onClick={() => (asked.value = {})}>
          As it was asked
        </button>
      </p>
    </form>
  );
}

function Window(): JSX.Element {
  const window = windowOf(call.value);
  return (
    <>
      <label class="field">
        Context window in tokens
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
      <div class="bar" role="group" aria-label="Windows">
        {[1, 0.5, 0.25, 0.1].map((share) => (
          <button
            key={share}
            type="button"
            title={`${number(roomFor(share))} tokens`}
            onClick={() => ask({ contextTokens: roomFor(share) })}
          >
            {percent(share, 1)} of this prompt
          </button>
        ))}
      </div>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly choose: (value: Value) => void;
}

function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const { label, value, options, choose } = props;
  const isOption = (name: string): name is Value => name in options;
  return (
    <label class="field">
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) =>
          isOption(currentTarget.value) && choose(currentTarget.value)
        }
      >
        {Object.keys(options)
          .filter(isOption)
          .map((name) => (
            <option key={name} value={name}>
              {options[name]}
            </option>
          ))}
      </select>
    </label>
  );
}

function Steps(): JSX.Element {
  const { without = [] } = asked.value;
  const take = (name: string, isTaken: boolean): void =>
    ask({ without: isTaken ? without.filter((one) => one !== name) : [...without, name] });
  return (
    <fieldset>
      <legend>Steps that the fit may take, least destructive first</legend>
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

/** The window that was asked for, output reserve and margin included. */
function windowOf(column: CallColumn | undefined): number {
  return column?.request?.window.contextTokens ?? column?.windowTokens ?? Infinity;
}

/** A window that leaves a share of this prompt for the prompt. */
function roomFor(share: number): number {
  const { totalTokens = 0, request } = call.value ?? {};
  const { outputReserveTokens = 0, marginTokens = 0 } = request?.window ?? {};
  return Math.ceil(totalTokens * share) + outputReserveTokens + marginTokens;
}
