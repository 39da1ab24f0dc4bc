import type { ComponentChildren, JSX } from "preact";

import type { CellState } from "../src/inspector-data.ts";
import { Swatch } from "./legend.tsx";

type Definition = readonly [name: string, ...values: ComponentChildren[]];

/** A definition list; entries without a value are left out. */
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

/** A group of radio buttons: arrow keys move between them. */
export function Choices<Name extends string | number>(props: ChoicesProps<Name>): JSX.Element {
  return (
    <div class="bar" role="radiogroup" aria-label={props.label}>
      {props.names.map((name) => (
        <label key={name} class="choice">
          <input
            type="radio"
            name={props.label}
            value={name}
            checked={name === props.chosen}
            onChange={() => props.choose(name)}
          />
          <bdi>{props.text(name)}</bdi>
        </label>
      ))}
    </div>
  );
}

interface EntryLineProps {
  readonly kind: string | undefined;
  readonly text: string;
  /** Shown as colors before the text. */
  readonly states?: readonly (CellState | undefined)[];
  /** Whether the text is struck out, because the prompt did not contain it. */
  readonly isGone?: boolean;
  readonly why?: readonly (string | false)[];
  readonly class?: string;
  readonly title?: string;
  readonly "aria-pressed": boolean;
  readonly onClick: () => void;
}

/** A button in a list that selects its entry. */
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
