import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');

/** As a program of its own: the script is an ES module. */
const run = async (code: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd: ROOT });
  return stdout;
};
const script = JSON.stringify(path.join(ROOT, 'scripts/texts.mjs'));
const po = JSON.stringify(path.join(ROOT, 'scripts/po.mjs'));

test('every text of the page is marked, and has a German one with the same placeholders; none is left over', async () => {
  const said = await run(`import { updateTexts } from ${script}; await updateTexts(true, console.log);`);
  expect(said.trim()).toMatch(/^\d{4} texts, 0 faults$/);
});

test.each([
  ['between tags', 'html`<p>Not marked</p>`', 'Not marked'],
  ['beside a value', 'html`<p>${name} is saved</p>`', 'is saved'],
  ['in a label', 'html`<button aria-label="Close the note">×</button>`', 'Close the note'],
  ['as the text of a button', "button('Delete it', run)", 'Delete it'],
  ['as a title', "const view = { title: 'Reports' }", 'Reports'],
])('a text that is not marked is found %s', async (_, code, text) => {
  const found = await run(
    `import { readTexts } from ${script}; console.log(JSON.stringify(readTexts('view.ts', ${JSON.stringify(code)})));`,
  );
  expect(JSON.parse(found)).toEqual({ marked: [], unmarked: [`admin/view.ts:1 has a text that is not marked: ${text}`] });
});

test('the faults of a check are read, whichever of two is said; what is put together from other sentences is not', async () => {
  const code = [
    "const detail = isOld ? `is fixed: add another ${kind} instead` : 'is set by the service';",
    'faults.push({ pointer, detail: `must be after ${first}` }, { pointer, detail: `${pointer}: ${why}` }, { pointer, detail: why });',
  ].join('\n');
  const found = await run(`import { readFaults } from ${script}; console.log(JSON.stringify(readFaults(${JSON.stringify(code)})));`);
  expect(JSON.parse(found)).toEqual(['is fixed: add another {0} instead', 'is set by the service', 'must be after {0}']);
});

test('marked texts, words with a plural, names and code are no fault', async () => {
  const code = 'html`<p title=${t`A title`}>${rich`From ${from} to ${to}`} <code>npm start</code> ${counted(n, "file")} CSV</p>`';
  const found = await run(
    `import { readTexts } from ${script}; console.log(JSON.stringify(readTexts('view.ts', ${JSON.stringify(code)})));`,
  );
  expect(JSON.parse(found)).toEqual({
    marked: ['A title', 'From {0} to {1}', 'file'].map((id) => ({ id, ...(id === 'file' && { plural: 'files' }), file: 'admin/view.ts' })),
    unmarked: [],
  });
});

test('the page gets translations, the forms of plurals, and the sentences of the service', async () => {
  const file = [
    'msgid ""',
    'msgstr ""',
    '',
    '#: admin/a.ts',
    'msgid "Save"',
    'msgstr "Speichern"',
    '',
    'msgid "file"',
    'msgid_plural "files"',
  ];
  const text = [
    ...file,
    'msgstr[0] "Datei"',
    'msgstr[1] "Dateien"',
    '',
    '#: src',
    'msgid "ends with {0}"',
    'msgstr "endet mit {0}"',
    '',
  ].join('\n');
  const read = await run(
    `import { messagesOf, parsePo } from ${po}; console.log(JSON.stringify(messagesOf(parsePo(${JSON.stringify(text)}).entries)));`,
  );
  expect(JSON.parse(read)).toEqual({
    ids: ['Save', 'file', 'ends with {0}'],
    texts: ['Speichern', ['Datei', 'Dateien'], 'endet mit {0}'],
    sentences: ['ends with {0}'],
  });
});

test('of two sentences that fit, the page takes the one that says more', async () => {
  const entries = ['is required with {0}', 'is required with class {0}: {1}', '{0} id'].map((id) => ({ id, texts: [id], files: ['src'] }));
  const read = await run(
    `import { messagesOf } from ${po}; console.log(JSON.stringify(messagesOf(${JSON.stringify(entries)}).sentences));`,
  );
  expect(JSON.parse(read)).toEqual(['is required with class {0}: {1}', 'is required with {0}', '{0} id']);
});
