/*
 * Writes what OpenAPI describes of the clients of the API into their packages, and compiles the TypeScript one:
 * make clients. What they are for: docs/clients.md.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { createOpenApiDocument } from '../src/api/openapi-document.ts';
import { STAFF_API } from '../src/trafficking/trafficking-api.ts';
import { writePython } from './clients/write-python.ts';
import { writeTypescript } from './clients/write-typescript.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLIENTS = path.join(ROOT, 'sdk', 'clients');
const CACHE = path.join(ROOT, '.cache');
const [target = CLIENTS] = process.argv.slice(2);

if (target !== CLIENTS) await cp(CLIENTS, target, { recursive: true });
const document = createOpenApiDocument(STAFF_API, '');

const python = path.join(target, 'python', 'ad_server_client');
for (const [name, text] of Object.entries(writePython(document))) await writeFile(path.join(python, name), text);

const outDir = path.join(target, 'typescript', 'dist');
await mkdir(CACHE, { recursive: true });
const source = await mkdtemp(path.join(CACHE, 'client-source-'));
await cp(path.join(CLIENTS, 'typescript', 'src'), source, { recursive: true });
await writeFile(path.join(source, 'ad-server.ts'), writeTypescript(document));
const schema = await openapiTypescript(JSON.stringify(document), { defaultNonNullable: false });
await writeFile(path.join(source, 'schema.ts'), astToString(schema));
const program = ts.createProgram([path.join(source, 'ad-server.ts')], {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  strict: true,
  declaration: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  rootDir: source,
  outDir,
});
const { diagnostics } = program.emit();
const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
await rm(source, { recursive: true });
if (faults.length > 0) {
  const host = { getCurrentDirectory: () => target, getCanonicalFileName: (name: string) => name, getNewLine: () => '\n' };
  console.error(ts.formatDiagnostics(faults, host));
  process.exitCode = 1;
}
