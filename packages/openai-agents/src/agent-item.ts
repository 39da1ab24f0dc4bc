/** What `fromItems` takes: any item of the Agents SDK, of a run's input, its history or its new items. Other fields may stand there too. */
export interface AgentItemLike {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly id?: unknown;
  readonly content?: unknown;
  readonly callId?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly status?: unknown;
  readonly providerData?: unknown;
}
