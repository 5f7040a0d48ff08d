import { say } from './texts.ts';

/** The properties of the service's tables that people read. */
const WORDS = new Set(['label', 'note', 'help', 'placeholder', 'unit', 'itemLabel', 'title', 'text', 'one', 'many', 'spread']);

export const isWord = (name: string): boolean => WORDS.has(name);

/** A table of the service, as labels of fields and of choices, with its words in the language of the page. Other texts stay: they are values. */
export const sayWords = <T>(table: T): T => {
  if (Array.isArray(table)) return table.map(sayWords) as T;
  if (typeof table !== 'object' || table === null) return table;
  return Object.fromEntries(
    Object.entries(table).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && isWord(name) ? say(value) : sayWords(value),
    ]),
  ) as T;
};
