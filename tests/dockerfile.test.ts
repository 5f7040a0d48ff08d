import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..');
const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');

test('the linter finds no fault in the Dockerfile', () => {
  const lint = path.join(ROOT, 'node_modules/dockerfilelint/bin/dockerfilelint');
  const { stdout, status } = spawnSync(process.execPath, [lint, '--output', 'json', path.join(ROOT, 'Dockerfile')], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ totalIssues: 0 });
  expect(status).toBe(0);
});

test('the base image is named by a version that the tests run on, and by its digest', async () => {
  const { NODE_VERSIONS } = await import('../scripts/node-versions.mjs');
  const [, version = ''] = /^ARG NODE=([\d.]+)-bookworm-slim@sha256:[0-9a-f]{64}$/m.exec(dockerfile) ?? [];
  expect(NODE_VERSIONS).toContain(version);
  for (const [, base] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(base).toBe('node:${NODE}');
});

test('the image runs as a non-root user, has a health check, and passes signals to the service', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  expect(last).toMatch(/^USER 1000:1000$/m);
  expect(last).toMatch(/^HEALTHCHECK /m);
  expect(last).toMatch(/^CMD \["node", .*"dist\/main\.js"\]$/m);
  expect(dockerfile).not.toMatch(/--chown/);
});

test('.dockerignore does not exclude files that the Dockerfile copies', () => {
  const letIn = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
    .flatMap(([, sources]) => sources!.split(' '))
    .filter((source) => source !== '.');
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'migrations', 'config']));
  for (const source of copied) expect([source, letIn.includes(source), existsSync(path.join(ROOT, source))]).toEqual([source, true, true]);
});
