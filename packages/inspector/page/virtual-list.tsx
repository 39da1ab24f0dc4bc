import type { Signal } from "@preact/signals";
// The library's own names for what a framework calls begin with `_`.
/* oxlint-disable no-underscore-dangle */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels; every row has the same. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** Brought into view when it changes. */
  readonly shown?: number | undefined;
  /** Lists that share one are scrolled together. */
  readonly scrolled?: Signal<number> | undefined;
}

/** Draws the rows of a long list that are in view, and no others. */
export function VirtualList({
  label,
  count,
  rowHeight,
  row,
  shown,
  scrolled,
}: VirtualListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const held = useRef<Virtualizer<HTMLDivElement, Element>>(undefined);
  held.current ??= new Virtualizer<HTMLDivElement, Element>({
    ...BASE,
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
  });
  const list = held.current;
  list.setOptions({
    ...list.options,
    count,
    estimateSize: () => rowHeight,
    onChange: () => redraw((times) => times + 1),
  });
  list._willUpdate();
  useEffect(() => {
    const unmount = list._didMount();
    list._willUpdate();
    redraw((times) => times + 1);
    return unmount;
  }, [list]);
  useEffect(() => {
    if (shown !== undefined && shown < count) list.scrollToIndex(shown, { align: "auto" });
  }, [list, shown, count]);
  useEffect(() => {
    if (scrolled && box.current) box.current.scrollTop = scrolled.value;
  }, [scrolled?.value]);
  const onScroll = (): void => {
    if (scrolled && box.current) scrolled.value = box.current.scrollTop;
  };
  return (
    <div class="list" onScroll={onScroll} ref={box} role="region" aria-label={label} tabIndex={0}>
      <ol style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map(({ index, start }) => (
          <li
            key={index}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ol>
    </div>
  );
}

const BASE = { overscan: 8, scrollToFn: elementScroll, observeElementRect, observeElementOffset };
