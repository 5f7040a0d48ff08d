/*
 * The files of translations, in the format of GNU gettext (PO): what editors for translators read. Of it this project uses `msgid`,
 * `msgid_plural`, `msgstr` and comments, each text on one line.
 */

/**
 * @typedef {{ id: string, plural?: string, texts: readonly string[], files: readonly string[] }} Entry
 * `texts`: one, or one for each form of a plural
 */

/** @param {string} text of a file @returns {{ head: string, entries: Entry[] }} its comments at the top, and its entries */
export function parsePo(text) {
  const [head = '', ...blocks] = text.split(/\n\n+(?=#:|msgid )/);
  return { head, entries: blocks.filter((block) => /^msgid /m.test(block)).map(parseEntry) };
}

/** @param {string} block */
const parseEntry = (block) => {
  const field = (name) => new RegExp(`^${name} (".*")$`, 'm').exec(block)?.[1];
  const texts = [...block.matchAll(/^msgstr(?:\[\d+\])? (".*")$/gm)].map(([, quoted]) => JSON.parse(quoted));
  const plural = field('msgid_plural');
  const files = /^#: (.*)$/m.exec(block)?.[1]?.split(' ') ?? [];
  return { id: JSON.parse(field('msgid') ?? '""'), files, ...(plural !== undefined && { plural: JSON.parse(plural) }), texts };
};

/**
 * @param {string} head comments and the entry of the header
 * @param {readonly Entry[]} entries
 */
export const writePo = (head, entries) => [head.trimEnd(), ...entries.map(entryText)].join('\n\n') + '\n';

const entryText = ({ id, plural, texts, files = [] }) =>
  [
    ...(files.length > 0 ? [`#: ${files.join(' ')}`] : []),
    `msgid ${JSON.stringify(id)}`,
    ...(plural === undefined ? [] : [`msgid_plural ${JSON.stringify(plural)}`]),
    ...(plural === undefined
      ? [`msgstr ${JSON.stringify(texts[0] ?? '')}`]
      : texts.map((text, i) => `msgstr[${i}] ${JSON.stringify(text)}`)),
  ].join('\n');

const wordsOf = (id) => id.replaceAll(/\{\d+\}/g, '');

/** What the page reads (admin/words/texts.ts). @param {readonly Entry[]} entries */
export const messagesOf = (entries) => {
  const translated = entries.filter(({ texts }) => texts.every((text) => text !== ''));
  return {
    ids: translated.map(({ id }) => id),
    texts: translated.map(({ plural, texts }) => (plural === undefined ? texts[0] : texts)),
    // The one that says most first: "is required with discount" before "is required with {0}".
    sentences: translated
      .filter(({ id, files }) => files.includes('src') && /\{\d+\}/.test(id))
      .map(({ id }) => id)
      .sort((a, b) => wordsOf(b).length - wordsOf(a).length),
  };
};
