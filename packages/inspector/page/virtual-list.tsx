import type { Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels; equal for all rows. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** The row that is scrolled into view if it changes. */
  readonly shown?: number | undefined;
  /** A shared scroll position: lists with the same signal scroll together. */
  readonly scrolled?: Signal<number> | undefined;
}

/** Number of rows drawn before and after the visible ones. */
const SPARE = 8;

/** Draws only the visible rows of a long list. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, count, rowHeight, row, shown, scrolled } = props;
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const drawn = Math.min(count - first, Math.ceil(height / rowHeight) + 2 * SPARE + 1);
  const scroll = (to: number): void => {
    if (box.current) box.current.scrollTop = to;
  };
  useEffect(() => {
    if (shown !== undefined && shown < count && height > 0)
      scroll(intoView(box.current?.scrollTop ?? 0, shown * rowHeight, height - rowHeight));
  }, [shown, count, height > 0]);
  useEffect(() => scrolled && scroll(scrolled.value), [scrolled?.value, height > 0]);
  const onScroll = (): void => {
    const { scrollTop = 0 } = box.current ?? {};
    setTop(scrollTop);
    if (scrolled) scrolled.value = scrollTop;
  };
  return (
    <div class="list" onScroll={onScroll} ref={box} role="region" aria-label={label} tabIndex={0}>
      <ol style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, drawn) }, (_, nth) => first + nth).map((index) => (
          <li
            key={index}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Returns the scroll position that shows what begins at `start`, with `room` before it if possible. */
export function intoView(scroll: number, start: number, room: number): number {
  return Math.max(start - room, Math.min(scroll, start));
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Tracks the size of an element. */
export function useSize(box: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const at = box.current;
    if (!at) return;
    const look = (): void => setSize({ width: at.clientWidth, height: at.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(at);
    return () => observer.disconnect();
  }, [box]);
  return size;
}
