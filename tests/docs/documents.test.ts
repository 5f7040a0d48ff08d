import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CATALOG_TABLES } from '../../src/catalog/model/catalog-reading.ts';
import { createOpenApiDocument } from '../../src/api/openapi-document.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { DOCUMENTS, readDocument, ROOT } from './documents.ts';

/** The anchor that a Markdown renderer gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (text: string): readonly string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

test.each(DOCUMENTS)('every link in %s leads to a file and heading that exist', (name) => {
  const text = readDocument(name);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, target = '', anchor]) => {
    const file = target === '' ? path.join(ROOT, name) : path.resolve(ROOT, path.dirname(name), target);
    return !existsSync(file) || (anchor !== undefined && !anchorsIn(readFileSync(file, 'utf8')).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

const PAGES = DOCUMENTS.filter((name) => name.startsWith('docs/') && !name.startsWith('docs/adr/') && name !== 'docs/index.md');

test.each(PAGES)('%s is in the sidebar of the site', (name) => {
  expect(readDocument('docs/.vitepress/config.mjs')).toContain(`page('${name.slice('docs/'.length, -'.md'.length)}', `);
});

test('every proof that a document names exists', () => {
  const proofs = path.join(ROOT, 'proofs');
  const names = readdirSync(proofs).flatMap((file) =>
    file.endsWith('.ts')
      ? [...readFileSync(path.join(proofs, file), 'utf8').matchAll(/^ {2}name: '([\w-]+)',$/gm)].map(([, name]) => name)
      : [],
  );
  expect(names.length).toBeGreaterThan(15);
  for (const document of DOCUMENTS) {
    const text = readDocument(document);
    for (const [, list = ''] of text.matchAll(/npm run prove --.*?--only ([\w,-]+)/g))
      for (const name of list.split(',')) expect([document, names]).toEqual([document, expect.arrayContaining([name])]);
  }
});

test.each(DOCUMENTS)('every file, command and endpoint that %s names exists', (name) => {
  const text = readDocument(name);
  const missing: string[] = [];
  const check = (pattern: RegExp, exists: (found: string) => boolean): void => {
    for (const [, found = ''] of text.matchAll(pattern)) if (!exists(found)) missing.push(found);
  };
  check(/`((?:src|tests|admin|sdk|docs|scripts|proofs|bench|testkit|config|migrations|k8s)\/[^`\s<*…]*)`/g, (file) =>
    existsSync(path.join(ROOT, file)),
  );
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { readonly scripts: object };
  check(/\bnpm run ([\w:-]+)/g, (script) => script in scripts);
  check(/`make (\w+)/g, (target) => readFileSync(path.join(ROOT, 'Makefile'), 'utf8').includes(`\n${target}:`));
  check(/\bdist\/commands\/([\w-]+)\.js/g, (command) => existsSync(path.join(ROOT, 'src/commands', `${command}.ts`)));
  check(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`…]*)`/g, (endpoint) => isDescribed(endpoint.replace(/\?.*$/, '')));
  expect(missing).toEqual([]);
});

const API = createOpenApiDocument(allRoutes([]), '');

/** @param endpoint as `GET /api/publishers/{id}`; `{entity}` is any of the five */
const isDescribed = (endpoint: string): boolean => {
  const [method = '', address = ''] = endpoint.replace('{entity}', 'publishers').split(' ');
  // Its tools are described by the door itself, as the Model Context Protocol says.
  if (['/mcp', '/adcp'].includes(address)) return method === 'POST';
  // The linter wants a 2xx answer of each operation, so this redirect is described with its image.
  if (address === '/tag/click') return JSON.stringify(API).includes('Its link is /tag/click');
  return method.toLowerCase() in (API.paths[address] ?? {});
};

test('docs/configuration.md has one row for each setting that the service reads', () => {
  const source = readFileSync(path.join(ROOT, 'src/config/read-settings.ts'), 'utf8');
  const settings = [...source.matchAll(/^ {2}([A-Z_]+): \w+.*\(\{ default: /gm)].map(([, name]) => name);
  expect(settings.length).toBeGreaterThan(30);
  const rows = readDocument('docs/configuration.md').match(/^\| `[A-Z].*?\|/gm) ?? [];
  expect(rows.flatMap((row) => row.match(/[A-Z_]{3,}/g)).sort()).toEqual(settings.sort());
});

test('the entity diagram has every table of the catalog', () => {
  const drawn = [...readDocument('docs/images/entities.svg').matchAll(/<text[^>]*>([a-z ]+)</g)].map(([, name]) => name);
  expect(drawn).toEqual(expect.arrayContaining(CATALOG_TABLES.map((table) => table.replace('_', ' ').replace(/s$/, ''))));
});

test('every decision record is numbered without gaps, dated, and has the four parts', () => {
  const folder = path.join(ROOT, 'docs/adr');
  const records = readdirSync(folder).filter((name) => name !== 'README.md');
  expect(records.map((name) => name.slice(0, 5))).toEqual(records.map((_, index) => `${String(index + 1).padStart(4, '0')}-`));
  for (const name of records) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    expect([name, text]).toEqual([name, expect.stringMatching(/^# \d+\. .+\n\n\d{4}-\d\d-\d\d\n\n\*\*Status\.\*\* /)]);
    expect([name, ...[...text.matchAll(/^\*\*(Context|Decision|Consequences)\.\*\*/gm)].map(([, part]) => part)]).toEqual([
      name,
      'Context',
      'Decision',
      'Consequences',
    ]);
  }
});
