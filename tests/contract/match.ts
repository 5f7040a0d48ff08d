/**
 * Compares an answer with the expectation of a case and lists every difference. Objects: the named fields are compared, others ignored. Lists are compared whole. Texts
 * that begin with `~` are regular expressions; `{"$absent": true}` wants the field not to be there; `{"$any": true}` wants it to be.
 */
export function differences(expected: unknown, actual: unknown, at = ''): readonly string[] {
  if (isObject(expected)) {
    if (expected['$any'] === true) return actual === undefined ? [`${at} is missing`] : [];
    if (expected['$absent'] === true) return actual === undefined ? [] : [`${at} should not be there, is ${show(actual)}`];
    if (!isObject(actual)) return [`${at} should be an object, is ${show(actual)}`];
    return Object.entries(expected).flatMap(([name, value]) => differences(value, actual[name], `${at}/${name}`));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [`${at} should be ${show(expected)}, is ${show(actual)}`];
    return expected.flatMap((value, i) => differences(value, actual[i], `${at}/${i}`));
  }
  if (typeof expected === 'string' && expected.startsWith('~')) {
    return typeof actual === 'string' && new RegExp(expected.slice(1), 's').test(actual)
      ? []
      : [`${at} should match ${expected.slice(1)}, is ${show(actual)}`];
  }
  return Object.is(expected, actual) ? [] : [`${at} should be ${show(expected)}, is ${show(actual)}`];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const show = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 300));

/** The value at a JSON pointer. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}
