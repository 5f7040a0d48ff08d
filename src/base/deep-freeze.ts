/** The value, in which nothing can be changed any more. */
export function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part as object);
  }
  return Object.freeze(value);
}
