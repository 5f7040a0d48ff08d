/** `KEYS` and `ARGV` of one call of a script. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Which content of Redis a call is for. */
export interface CallScope {
  /** The key of the record of epochs. */
  readonly recordKey: string;
  /** The epoch that the caller knows; '': it knows none, and the accounts are taken as they are. */
  readonly epoch: string;
}

/**
 * The keys of one call: those of each publisher once, then those of its requests or hits, in their
 * order. Under load a call has a dozen of them and often one publisher: with the keys of the
 * publisher in each, Redis parsed 60 keys instead of 10.
 *
 * @param ofPublisher its keys, always as many
 * @param own the keys of the single requests or hits
 * @param scope its record of epochs is the last key
 */
export const callKeys = (
  calls: readonly { readonly publisherId: number }[],
  ofPublisher: (publisherId: number) => readonly string[],
  own: readonly string[],
  { recordKey, epoch }: CallScope,
) => {
  const positions = new Map<number, number>();
  const keys: string[] = [];
  for (const { publisherId } of calls) {
    if (positions.has(publisherId)) continue;
    positions.set(publisherId, positions.size);
    keys.push(...ofPublisher(publisherId));
  }
  keys.push(...own, recordKey);
  return {
    keys,
    /** The first argument about them: how many publishers, and the epoch (lua/call.lua). */
    scope: epoch === '' ? String(positions.size) : `${positions.size} ${epoch}`,
    /** The position of a publisher among the publishers of the call, from 0. */
    positionOf: (publisherId: number): number => positions.get(publisherId)!,
  };
};
