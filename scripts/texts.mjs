/*
 * npm run texts: collects the texts that people read on the page in admin/languages/messages.pot, and brings the file of each language up to
 * date: new texts are empty, those that are gone are left out. `-- --check` changes nothing and says what is wrong.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import ts from 'typescript';
import { parsePo, writePo } from './po.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ADMIN = path.join(ROOT, 'admin');
const LANGUAGES = path.join(ADMIN, 'languages');
/** Pages behind links, which are no modules. */
const LINK_PAGES = ['public/proof', 'public/report'];
const TEMPLATE = 'messages.pot';
const POT_HEAD = `# The texts of the page, from the source: "npm run texts" writes this file.
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"`;

/** Attributes and properties whose text people read. */
const LABELS = /^(aria-label|title|placeholder|alt|label|help|caption|submit|yes|heading)$/;
/** Functions, with the positions of the texts that they show. */
const SHOWN = new Map(
  Object.entries({
    ...{ button: [0, 3], card: [0], pageHead: [0, 1], emptyState: [0], formSection: [0, 1], toast: [0] },
    ...{ toggleButton: [0], textStep: [0, 1] },
  }),
);
/** Texts that are the same in every language: names, and examples of what is typed. */
const EXCEPTIONS =
  /^(API|CTR|CPM|vCPM|CPC|eCPM|CSV|XLSX|JSON|YAML|Excel|Parquet|UTC|nbr|Revive Adserver|Google Ad Manager|sellers\.json|#|×|[a-z@.-]+\.example.*|https:\/\/.*|\S+@\S+.*|\d+x\d+)$/;

const sourceFiles = () =>
  readdirSync(ADMIN, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== path.join('words', 'texts.ts'))
    .sort();

/** @returns the text of a template, with `{0}` for its first value */
const keyOf = (template) => {
  const parts = ts.isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
  return parts
    .map((part, i) => (i === 0 ? part : `{${i - 1}}${part}`))
    .join('')
    .trim()
    .replaceAll(/\s+/g, ' ');
};

const hasWords = (text) => /[A-Za-z]{2}/.test(text) && !EXCEPTIONS.test(text.trim());

/** The parts of a template of the page that people read: between tags, and in attributes that are labels. */
const textsOfPage = (template) => {
  const markup = ts.isNoSubstitutionTemplateLiteral(template)
    ? template.rawText
    : [template.head.rawText, ...template.templateSpans.map(({ literal }) => literal.rawText)].join('\0');
  const attributes = [...markup.matchAll(/[\s]([a-z-]+)="([^"]*)"/g)].filter(([, name]) => LABELS.test(name)).map(([, , value]) => value);
  const between = markup
    .replaceAll(/<(code|style|script)\b[^>]*>[^<]*<\/\1>/g, ' ')
    .replaceAll(/<!--.*?-->/gs, ' ')
    .split(/<[^>]*>/)
    .flatMap((text) => text.split('\0'));
  return [...attributes, ...between].map((text) => text.trim()).filter(hasWords);
};

const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);

/** @returns {{ marked: { id: string, plural?: string, file: string }[], unmarked: string[] }} */
function collectMarked() {
  const all = sourceFiles().map((file) => readTexts(file, readFileSync(path.join(ADMIN, file), 'utf8')));
  return { marked: all.flatMap(({ marked }) => marked), unmarked: all.flatMap(({ unmarked }) => unmarked) };
}

/** The texts of one source file. @returns {{ marked: { id: string, plural?: string, file: string }[], unmarked: string[] }} */
export function readTexts(file, code) {
  const marked = [];
  const unmarked = [];
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const from = `admin/${file}`;
  const complain = (node, text) =>
    unmarked.push(`${from}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} has a text that is not marked: ${text}`);
  const visit = (node) => {
    if (ts.isTaggedTemplateExpression(node)) {
      const tag = node.tag.getText();
      if (tag === 't' || tag === 'rich') marked.push({ id: keyOf(node.template), file: from });
      if (tag === 'html' || tag === 'svg') for (const text of textsOfPage(node.template)) complain(node, text);
    } else if (ts.isCallExpression(node)) {
      const name = node.expression.getText().split('.').at(-1);
      const [, one, many] = node.arguments;
      if ((name === 'counted' || name === 'plural') && one && isText(one))
        marked.push({ id: one.text, plural: many && isText(many) ? many.text : `${one.text}s`, file: from });
      for (const at of SHOWN.get(name) ?? []) {
        const argument = node.arguments[at];
        if (argument && isText(argument) && hasWords(argument.text)) complain(argument, argument.text);
      }
    } else if (
      ts.isPropertyAssignment(node) &&
      LABELS.test(node.name.getText()) &&
      isText(node.initializer) &&
      hasWords(node.initializer.text)
    )
      complain(node, node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { marked, unmarked };
}

/** The texts of the pages behind links: what they say, and marks in their HTML. */
const linkPageTexts = () =>
  LINK_PAGES.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .sort()
      .map((file) => `${folder}/${file}`),
  )
    .filter((file) => /\.(js|html)$/.test(file))
    .flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\bsay\(\s*'([^']+)'|\bdata-say[^>]*>([^<]+)</g)].map(
        ([, said, marked]) => ({
          id: said ?? marked,
          file,
        }),
      ),
    );

/** What people enter is checked here: what these files say is shown beside the fields of forms. */
const CHECKS = [
  ...['src/catalog/checks', 'src/bookings', 'src/reports', 'src/alerts', 'src/proofing', 'src/people', 'src/access', 'src/approvals'],
  ...['src/forecast', 'src/imports', 'src/finance', 'src/assets', 'src/uploads', 'src/buys'],
];

/** The sentences of faults in one source file. @returns {string[]} with `{0}` for the first value */
export function readFaults(code) {
  const sentences = [];
  const read = (node) => {
    if (isText(node)) sentences.push(node.text);
    else if (ts.isTemplateExpression(node)) sentences.push(keyOf(node));
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(read);
  };
  const visit = (node) => {
    if ((ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.name.getText() === 'detail' && node.initializer)
      read(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('checks.ts', code, ts.ScriptTarget.Latest, true));
  // Others are put together from sentences.
  return sentences.filter((sentence) => /[a-z]+ [a-z]/i.test(sentence.replaceAll(/\{\d+\}/g, '')));
}

/** The sentences of checks that are in no list of translators. @param {readonly RegExp[]} listed what those of the list read like */
const unlistedFaults = (listed) =>
  CHECKS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .flatMap((file) =>
        readFaults(readFileSync(path.join(ROOT, folder, file), 'utf8'))
          // The page writes the label of a field for its name.
          .filter((sentence) => !listed.some((pattern) => pattern.test(sentence.replaceAll(/\b[a-z]+(_[a-z]+)+\b/g, 'Label'))))
          .map((sentence) => `${folder}/${file} says what scripts/service-texts.ts does not list: ${sentence}`),
      ),
  );

/** Every text once, in the order of the files; a word with a plural before the same word without. */
async function collectTexts() {
  const { marked, unmarked } = collectMarked();
  const { serviceTexts, patternOf } = await tsImport(pathToFileURL(path.join(ROOT, 'scripts/service-texts.ts')).href, import.meta.url);
  const texts = new Map();
  for (const { file, ...text } of [...marked, ...linkPageTexts(), ...serviceTexts().map((one) => ({ ...one, file: 'src' }))]) {
    if (!/[A-Za-z]/.test(text.id.replaceAll(/\{\d+\}/g, ''))) continue;
    const known = texts.get(text.id) ?? { id: text.id, files: new Set() };
    known.files.add(file);
    texts.set(text.id, { ...known, ...text, plural: text.plural ?? known.plural });
  }
  const unlisted = unlistedFaults([...texts.keys()].map(patternOf));
  return { texts: [...texts.values()].map(({ files, ...text }) => ({ ...text, files: [...files] })), unmarked: [...unmarked, ...unlisted] };
}

const placeholders = (text) =>
  [...text.matchAll(/\{\d+\}/g)]
    .map(([name]) => name)
    .sort()
    .join();

/** What is wrong with the translations of a language. */
const faultsOf = (file, entries, texts) => {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const ids = new Set(texts.map(({ id }) => id));
  return [
    ...texts.flatMap(({ id, plural }) => {
      const entry = known.get(id);
      if (!entry || entry.texts.length === 0 || entry.texts.includes('')) return [`${file} has no translation of ${JSON.stringify(id)}`];
      if (entry.plural !== plural) return [`${file} has another plural of ${JSON.stringify(id)}`];
      return entry.texts.some((one) => placeholders(one) !== placeholders(id))
        ? [`${file} has other placeholders in ${JSON.stringify(id)}`]
        : [];
    }),
    ...entries.filter(({ id }) => !ids.has(id)).map(({ id }) => `${file} translates a text that is gone: ${JSON.stringify(id)}`),
  ];
};

/**
 * Writes messages.pot and the files of the languages.
 * @param {boolean} check instead says what is wrong with them, and with the source
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether every text is marked and translated
 */
export async function updateTexts(check, say) {
  const { texts, unmarked } = await collectTexts();
  const faults = [...unmarked];
  const template = writePo(
    POT_HEAD,
    texts.map((text) => ({ ...text, texts: text.plural === undefined ? [''] : ['', ''] })),
  );
  const templateFile = path.join(LANGUAGES, TEMPLATE);
  if (!check) writeFileSync(templateFile, template);
  else if (readFileSync(templateFile, 'utf8') !== template) faults.push(`${TEMPLATE} is not what the source says: run "npm run texts"`);
  for (const file of readdirSync(LANGUAGES).filter((name) => name.endsWith('.po'))) {
    const { head, entries } = parsePo(readFileSync(path.join(LANGUAGES, file), 'utf8'));
    const known = new Map(entries.map((entry) => [entry.id, entry]));
    if (check) faults.push(...faultsOf(file, entries, texts));
    else
      writeFileSync(
        path.join(LANGUAGES, file),
        writePo(
          head,
          texts.map((text) => ({ ...text, texts: textsFor(text, known.get(text.id)) })),
        ),
      );
    if (!check) faults.push(...faultsOf(file, parsePo(readFileSync(path.join(LANGUAGES, file), 'utf8')).entries, texts));
  }
  for (const fault of faults) say(fault);
  say(`${texts.length} texts, ${faults.length} faults`);
  return faults.length === 0;
}

const textsFor = ({ plural }, known) => {
  if (plural === undefined) return [known?.texts[0] ?? ''];
  return known && known.plural === plural ? known.texts : ['', ''];
};
