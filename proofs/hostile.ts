import { connect } from 'node:net';
import { Pool } from 'undici';
import { book } from '../testkit/book.ts';
import { createFuzzer } from './rig/create-fuzzer.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Proof } from './rig/proof.ts';

/** One in this many requests is not valid HTTP and is sent on a separate socket. */
const RAW_EVERY = 50;

export const hostile: Proof = {
  name: 'hostile',
  claim: 'fuzzed requests to every endpoint: bodies, queries, headers, methods, encodings, broken HTTP',
  expected: '0 × 5xx, 0 exits, 0 HTML bodies; a good request is served afterwards',
  run: async (rig, scale) => {
    const count = scale.of(100_000, 5_000);
    const fleet = await rig.fleet({ replicas: 3 });
    const pools = fleet.replicas.map(({ url }) => new Pool(url, { connections: 16, headersTimeout: 20_000, bodyTimeout: 20_000 }));
    const { page } = fleet;
    try {
      // Creative 1 is the target of the trafficking API requests; some of them delete it, as they should.
      await book(fleet.knex);
      const booking = await book(fleet.knex, { creative: { click_url: 'https://example.com/' } });
      await fleet.reload();
      const tokens = (await page.ask(booking, 'user')).bids.map(({ impurl }) => impurl.split('t=')[1] ?? '');
      const fuzz = createFuzzer({ seed: rig.seed, booking, token: tokens[0] ?? '' });
      const statuses = new Map<number, number>();
      const faults: string[] = [];
      await inParallel(count, 48, async (i) => {
        const at = i % pools.length;
        if (i % RAW_EVERY === 0) {
          const answer = await sendRaw(fleet.replicas[at]?.port ?? 0, fuzz.raw());
          if (/^HTTP\/1\.1 5/.test(answer) || isHtml(answer.split('\r\n\r\n')[1] ?? '')) faults.push(`raw: ${answer.slice(0, 120)}`);
          return;
        }
        const request = fuzz.request();
        try {
          const answer = await pools[at]!.request(request);
          const text = await answer.body.text();
          statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
          const html = String(answer.headers['content-type']).includes('html') || isHtml(text);
          if (answer.statusCode >= 500 || html)
            faults.push(`${request.method} ${request.path.slice(0, 80)} → ${answer.statusCode} ${text.slice(0, 120)}`);
        } catch (fault) {
          // Requests that the client library refuses to send, and connections closed because of an oversized body.
          const code = (fault as { code?: string }).code ?? String(fault);
          statuses.set(code === 'UND_ERR_INVALID_ARG' ? -1 : 0, (statuses.get(code === 'UND_ERR_INVALID_ARG' ? -1 : 0) ?? 0) + 1);
        }
      });
      const exits = fleet.replicas.reduce((sum, replica) => sum + replica.crashes(), 0);
      const good = await Promise.all(fleet.replicas.map(() => page.ask(booking, 'user')));
      const served = good.every(({ bids }) => bids.length === 1);
      const spread = [...statuses].filter(([status]) => status > 0).sort(([a], [b]) => a - b);
      const sent = count - (statuses.get(-1) ?? 0);
      return {
        observed:
          `seed ${rig.seed}, ${sent} requests (${spread.map(([status, n]) => `${n} × ${status}`).join(', ')}, ${statuses.get(0) ?? 0} × connection closed): ` +
          `${faults.length} × 5xx or HTML${faults.length > 0 ? ` (${faults.slice(0, 3).join('; ')})` : ''}, ${exits} exits; good requests ${served ? 'served' : 'NOT served'}`,
        ok: faults.length === 0 && exits === 0 && served && sent > count * 0.95,
      };
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
      await fleet.close();
    }
  },
};

const isHtml = (text: string): boolean => /^\s*<(!doctype|html)/i.test(text);

/** Sends bytes on a separate connection and resolves to the answer of the first second. */
const sendRaw = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, done);
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', done);
    socket.on('close', done);
  });
