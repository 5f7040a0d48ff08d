/**
 * The texts that people read, the gettext way: the English sentence in the source is the message and its key, and values are placeholders.
 * `npm run texts` collects the marked texts in languages/messages.pot; languages/<language>.po has their translations. A text without one is
 * shown in English.
 */
export interface Messages {
  /** The English texts. Apart from the translations, both compress better. */
  readonly ids: readonly string[];
  /** In the same order: the translation, or the forms of a plural. */
  readonly texts: readonly Translation[];
  /** Those of the English texts that the service sends with values in place of `{0}`. */
  readonly sentences: readonly string[];
}

type Translation = string | readonly string[];

interface Catalog {
  /** By the English text. */
  readonly texts: Readonly<Record<string, Translation>>;
  readonly sentences: readonly { readonly key: string; readonly pattern: RegExp }[];
  /** Which of the forms of a message a number takes. */
  readonly formOf: (count: number) => number;
  /** A number of a sentence of the service, as the language writes it. */
  readonly numberOf: (value: number, digits: number, isShare: boolean) => string;
}

let catalog: Catalog | undefined;

/** Translates from now on: before any text is made, because many are made once. @param language of the messages */
export const useMessages = (messages: Messages, language: string): void => {
  const rules = new Intl.PluralRules(language);
  const forms = rules.resolvedOptions().pluralCategories;
  catalog = {
    texts: Object.fromEntries(messages.ids.map((id, i) => [id, messages.texts[i] ?? id])),
    sentences: messages.sentences.map((key) => ({ key, pattern: patternOf(key) })),
    formOf: (count) => Math.max(0, forms.indexOf(rules.select(count))),
    numberOf: (value, digits, isShare) =>
      value.toLocaleString(language, { style: isShare ? 'percent' : 'decimal', minimumFractionDigits: digits }),
  };
};

/** What a sentence with these values reads like. @param key with `{0}` for the first value */
export const patternOf = (key: string): RegExp =>
  new RegExp(`^${key.replaceAll(/[.*+?^$()[\]|\\]/g, '\\$&').replaceAll(/\{\d+\}/g, '(.+)')}$`);

/** The key of a template: its text, with `{0}` for the first value, and a space for each run of white space. */
const keys = new WeakMap<TemplateStringsArray, { readonly key: string; readonly before: string; readonly after: string }>();

const keyOf = (strings: TemplateStringsArray) => {
  const known = keys.get(strings);
  if (known) return known;
  const text = strings.map((part, i) => (i === 0 ? part : `{${i - 1}}${part}`)).join('');
  const [, before = '', inner = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  const made = { key: inner.replaceAll(/\s+/g, ' '), before: before && ' ', after: after && ' ' };
  keys.set(strings, made);
  return made;
};

const translated = (key: string): string => {
  const message = catalog?.texts[key] ?? key;
  return typeof message === 'string' ? message : (message[0] ?? key);
};

const PLACEHOLDER = /\{(\d+)\}/;

/** What a text takes as a value. */
type Value = string | number | null | undefined;

const filled = (text: string, values: readonly Value[]): string =>
  values.length === 0 ? text : text.replaceAll(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)] ?? ''));

/** Marks a text, and translates it. */
export const t = (strings: TemplateStringsArray, ...values: readonly Value[]): string => {
  const { key, before, after } = keyOf(strings);
  return before + filled(translated(key), values) + after;
};

/** As `t`, where values are parts of the page: what lit draws in their order. */
export const rich = (strings: TemplateStringsArray, ...values: readonly unknown[]): readonly unknown[] => {
  const { key, before, after } = keyOf(strings);
  const parts = translated(key).split(PLACEHOLDER);
  return [before, ...parts.map((part, i) => (i % 2 === 0 ? part : values[Number(part)])), after];
};

/** `4,237`, `16.9%`: as the service writes a number in a sentence. Another one, such as `2026`, may be an id. */
const NUMBER = /^(?<whole>\d{1,3}(?:,\d{3})*)(?:\.(?<fraction>\d+))?(?<share>%)?$/;

/** Translates a text of the service: a label of a field, a status, a sentence. scripts/service-texts.ts lists them. */
export const say = (text: string): string => {
  if (!catalog || catalog.texts[text] !== undefined) return translated(text);
  const number = NUMBER.exec(text)?.groups;
  if (number) {
    const { whole = '', fraction = '', share } = number;
    const value = Number(`${whole.replaceAll(',', '')}.${fraction}`);
    return catalog.numberOf(share ? value / 100 : value, fraction.length, share !== undefined);
  }
  for (const { key, pattern } of catalog.sentences) {
    const values = pattern.exec(text);
    if (values) return filled(translated(key), values.slice(1).map(say));
  }
  return text;
};

/** The form of a word that a number takes. */
export const plural = (count: number, one: string, many: string): string => {
  const forms = catalog?.texts[one];
  if (!catalog || forms === undefined || typeof forms === 'string') return count === 1 ? one : many;
  return forms[catalog.formOf(count)] ?? many;
};
