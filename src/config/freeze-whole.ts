/** Freezes a value with everything in it. */
export const freezeWhole = <T extends object>(value: T): T => {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) freezeWhole(part as object);
  }
  return Object.freeze(value);
};
