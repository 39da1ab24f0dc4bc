import { onTestFinished, vi } from "vitest";

/** A clock that a test advances. */
export interface HeldClock {
  readonly pass: (ms: number) => void;
  /** Number of pending timers. */
  readonly timers: () => number;
}

/** Fakes the clock of timeouts until the test ends, so that the result does not depend on the machine's load. */
export function holdClock(): HeldClock {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.advanceTimersByTime(ms), timers: () => vi.getTimerCount() };
}
