/** JSON pointers (RFC 6901) into records and drafts. */
export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at a pointer, or undefined. */
export const readAt = (value: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[step], value);

/** A copy with another value at the pointer; objects on the way are created as needed. */
export const writtenAt = <T>(value: T, pointer: string, to: unknown): T => withValue(value, stepsOf(pointer), to) as T;

const withValue = (value: unknown, [step, ...rest]: readonly string[], to: unknown): unknown =>
  step === undefined
    ? to
    : { ...(value as object), [step]: withValue((value as Readonly<Record<string, unknown>> | undefined)?.[step], rest, to) };

/** Whether a pointer is that of a field, or of something below it. */
export const isWithin = (pointer: string, field: string): boolean => pointer === field || pointer.startsWith(`${field}/`);
