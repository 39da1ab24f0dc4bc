import type { ComponentChildren, JSX } from "preact";

import type { CellState } from "../src/inspector-data.ts";
import { Swatch } from "./legend.tsx";

type Definition = readonly [name: string, ...values: ComponentChildren[]];

/** Names and what stands for them; one without a value is left out. */
export function Definitions({ list }: { readonly list: readonly Definition[] }): JSX.Element {
  const items = list.flatMap(([name, ...values]) => {
    const shown = values.filter((value) => value !== undefined);
    if (shown.length === 0) return [];
    return [<dt key={name}>{name}</dt>, ...shown.map((value) => <dd>{value}</dd>)];
  });
  return <dl class="decision">{items}</dl>;
}

interface ChoicesProps<Name> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
  readonly text: (name: Name) => string;
}

/** Buttons of which one is pressed. */
export function Choices<Name extends string | number>(props: ChoicesProps<Name>): JSX.Element {
  return (
    <div class="bar" role="group" aria-label={props.label}>
      {props.names.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === props.chosen}
          onClick={() => props.choose(name)}
        >
          <bdi>{props.text(name)}</bdi>
        </button>
      ))}
    </div>
  );
}

interface EntryLineProps {
  readonly kind: string | undefined;
  readonly text: string;
  /** What became of it, as colors before it. */
  readonly states?: readonly (CellState | undefined)[];
  /** Struck out: the prompt did not hold it. */
  readonly isGone?: boolean;
  readonly why?: readonly (string | false)[];
  readonly class?: string;
  readonly title?: string;
  readonly "aria-pressed": boolean;
  readonly onClick: () => void;
}

/** A line of a list, which selects what it is about. */
export function EntryLine(props: EntryLineProps): JSX.Element {
  const { kind, text, states = [], isGone, why = [], class: mark = "", ...button } = props;
  const Text = isGone ? "del" : "span";
  return (
    <button type="button" class={`entry ${mark}`} {...button}>
      {states.map((state) => (
        <Swatch state={state} />
      ))}
      <bdi class="kind">{kind}</bdi>
      <Text class="text">
        <bdi>{text}</bdi>
      </Text>
      {why.map((line) => line && <span class="why">{line}</span>)}
    </button>
  );
}
