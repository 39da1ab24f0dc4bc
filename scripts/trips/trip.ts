/** One way through the packages. What it needs is made first; only what the given function runs is measured. */
export type Trip = () => Promise<() => unknown>;
