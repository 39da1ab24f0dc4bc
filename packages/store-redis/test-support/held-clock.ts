import { onTestFinished, vi } from "vitest";

/** Time that stands still until a test lets it pass. */
export interface HeldClock {
  readonly pass: (ms: number) => void;
  /** How many timers wait. */
  readonly timers: () => number;
}

/** Holds the clock by which calls are given up, until the test is over: how busy the machine is then decides nothing. */
export function holdClock(): HeldClock {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: (ms) => void vi.advanceTimersByTime(ms), timers: () => vi.getTimerCount() };
}
