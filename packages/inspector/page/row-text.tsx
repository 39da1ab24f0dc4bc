import type { JSX } from "preact";

/** The beginning of an entry, on one line; struck out where the prompt did not hold it. */
export function RowText({
  text,
  isSent,
}: {
  readonly text: string;
  readonly isSent: boolean;
}): JSX.Element {
  if (isSent) return <bdi class="text">{text}</bdi>;
  return (
    <del class="text">
      <bdi>{text}</bdi>
    </del>
  );
}
