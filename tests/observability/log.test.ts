import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createLog } from '../../src/observability/log.ts';

const collect = () => {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { lines, stream };
};

describe('log', () => {
  test('writes a JSON line with time, level, message and fields, and omits lower levels', () => {
    const { lines, stream } = collect();
    const log = createLog({ level: 'info', stream });
    log.info('reloaded', { version: 7 });
    log.debug('not asked for');
    expect(lines).toEqual([{ level: 'info', message: 'reloaded', version: 7, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) }]);
  });

  test('fields cannot override the level or the message', () => {
    const { lines, stream } = collect();
    createLog({ level: 'info', stream }).warn('true', { level: 'error', message: 'false' });
    expect(lines[0]).toMatchObject({ level: 'warn', message: 'true' });
  });

  test('redacts keys, tokens, users and addresses in any position', () => {
    const { lines, stream } = collect();
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0c2VjcmV0';
    createLog({ level: 'info', stream }).error(`GET /impression?t=${jwt}&x=1 failed`, {
      api_key: 'secret',
      'X-API-Key': 'secret',
      token: 'secret',
      userId: 'secret',
      ip: '198.51.100.7',
      request: { headers: { authorization: 'Bearer secret', 'x-forwarded-for': '198.51.100.7' }, user: { id: 'secret' }, body: 'secret' },
      url: 'http://a.example/event?type=like&t=secret',
      header: 'Bearer secret',
      store: 'postgres://admin:secret@db:5432/ads',
      bare: `token was ${jwt}`,
      error: Object.assign(new TypeError(`bad ${jwt}`), { body: 'secret', code: 'E_BAD' }),
    });
    const text = JSON.stringify(lines);
    for (const hidden of ['secret', '198.51.100.7', 'eyJ', 'c2Vj']) expect(text).not.toContain(hidden);
    expect(lines[0]).toMatchObject({
      message: 'GET /impression?t=***&x=1 failed',
      store: 'postgres://***@db:5432/ads',
      error: { name: 'TypeError', code: 'E_BAD', stack: expect.stringContaining('TypeError') },
    });
  });

  test('a long text keeps its beginning and its end, and no part of a secret between them', () => {
    const { lines, stream } = collect();
    const query = `select ${'one_column, '.repeat(500)}1`;
    const fault = new Error(`${query} - relation "gone" does not exist`);
    const token = 'https://a.example/event?t=secretsecretsecretsecret&x=1';
    const across = Array.from(
      { length: 40 },
      (_, i) => `${'-'.repeat(490 + i)}${token}${'-'.repeat(9_000)}${token}${'-'.repeat(1_500 + i)}`,
    );
    createLog({ level: 'info', stream }).error('A query failed', { reason: fault.message, fault, across });
    expect(lines[0]).toMatchObject({
      reason: expect.stringMatching(/^select one_column,.* … .*one_column, 1 - relation "gone" does not exist$/),
      fault: { message: lines[0]!['reason'], stack: expect.stringMatching(/^Error: select one_column.* … .*log\.test\.ts/s) },
    });
    expect((lines[0]!['reason'] as string).length).toBeLessThan(2_100);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('a value that JSON cannot represent does not break the line', () => {
    const { lines, stream } = collect();
    const circle: Record<string, unknown> = { n: 10n };
    circle.self = circle;
    createLog({ level: 'info', stream }).info('odd', { circle, at: new Date(NaN), bytes: Buffer.from('x') });
    expect(lines[0]).toMatchObject({ message: 'odd', at: null, bytes: '…' });
  });

  test('a stream that fails loses its lines and has no other effect', () => {
    let dropped = 0;
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('gone')) });
    const log = createLog({ level: 'info', stream, onDropped: () => void dropped++ });
    log.info('lost');
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => expect(dropped).toBe(1));
  });
});

describe('standard output', () => {
  const root = join(__dirname, '../..');
  const program = `
    const { createLog } = await import(${JSON.stringify(join(root, 'src/observability/log.ts'))});
    let dropped = 0;
    const log = createLog({ level: 'info', onDropped: () => { dropped++; } });
    await new Promise((go) => process.stdin.once('data', go));
    for (let line = 0; line < 50; line++) { log.info('line ' + line); await new Promise((next) => setImmediate(next)); }
    process.stderr.write('alive, dropped ' + dropped);
    process.exit(0);`;

  const run = (stdout: 'pipe' | number, closeReader: boolean) =>
    new Promise<{ code: number | null; said: string; out: string }>((resolve, reject) => {
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        cwd: root,
        stdio: ['pipe', stdout, 'pipe'],
      });
      let said = '';
      let out = '';
      child.stderr!.on('data', (chunk) => (said += String(chunk)));
      child.stdout?.on('data', (chunk) => (out += String(chunk)));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, said, out }));
      if (closeReader) child.stdout?.destroy();
      child.stdin!.end('go');
    });

  test('every line is written when the process exits immediately', async () => {
    const { code, said, out } = await run('pipe', false);
    expect({ code, said }).toEqual({ code: 0, said: 'alive, dropped 0' });
    expect(out.trimEnd().split('\n')).toHaveLength(50);
  });

  test('the process runs on after the reader has closed, and counts lost lines', async () => {
    expect(await run('pipe', true)).toMatchObject({ code: 0, said: 'alive, dropped 50' });
  });

  test('the process runs on with a full disk, and counts lost lines', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      expect(await run(full, false)).toMatchObject({ code: 0, said: 'alive, dropped 50' });
    } finally {
      closeSync(full);
    }
  });
});
