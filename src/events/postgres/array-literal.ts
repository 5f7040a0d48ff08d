/** An element that Postgres reads as it is, without quotes. */
const PLAIN = /^(?!null$)[^\s"\\{},]+$/i;

/**
 * An array as the text that Postgres reads. Every event is 29 elements, which the driver would quote
 * one by one, with two regular expressions each.
 */
export const arrayLiteral = (values: readonly (string | number | boolean | null | undefined)[]): string => {
  let text = '';
  for (const value of values) {
    if (text !== '') text += ',';
    if (value === null || value === undefined) text += 'NULL';
    else if (typeof value !== 'string' || PLAIN.test(value)) text += value;
    else text += `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return `{${text}}`;
};
