import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import type { Proof } from './rig/proof.ts';

const USER = 'a-very-private-user-id';
const ADDRESS = '203.0.113.77';
const CONSENT = 'CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA';

/** Triggers logs, refusals and failures, then searches every output for every secret. */
export const secrets: Proof = {
  name: 'secrets',
  claim:
    'keys, tokens, signing secrets, store passwords, user ids and addresses in logs (at debug), metrics and error answers, also during outages',
  expected: '0 found',
  run: async (rig, scale) => {
    const fleet = await rig.fleet({
      replicas: 3,
      faulty: true,
      storePassword: 'a-store-password',
      env: { LOG_LEVEL: 'debug', ADMIN_TOKEN: 'an-administrators-token' },
    });
    const { page } = fleet;
    const said: string[] = [];
    try {
      const booking = await book(fleet.knex, { lineItems: [{ frequency_cap: 1_000 }, {}] });
      await book(fleet.knex, { lineItems: [{ cpm_micros: -1 }] });
      await fleet.reload();
      const tokens: string[] = [];
      const call = async (path: string, init: RequestInit = {}): Promise<void> => {
        const answer = await fetch(fleet.url + path, { redirect: 'manual', ...init }).catch(() => undefined);
        if (answer && answer.status >= 400) said.push(await answer.text());
        else await answer?.arrayBuffer();
      };
      const headers = { 'x-api-key': booking.apiKey, 'x-forwarded-for': ADDRESS };
      const body = {
        id: 'r',
        imp: [{ id: '1', tagid: booking.placementId }],
        user: { id: USER, consent: CONSENT },
        device: { ip: ADDRESS },
        ext: { publisher_id: booking.publisherId },
      };
      const walk = async (): Promise<void> => {
        const { bids } = await page.ask(booking, USER);
        for (const { impurl, clkurl, evturl } of bids) {
          tokens.push(impurl.split('t=')[1] ?? '');
          for (const url of [impurl, impurl, clkurl, `${evturl}&type=like`, `${evturl}&type=no-such`, `${impurl}x`]) await call(url);
          await call('/report', { method: 'POST', body: JSON.stringify({ token: tokens.at(-1), reason: 'no-such-reason' }) });
          await call('/report', { method: 'POST', body: JSON.stringify({ token: `${tokens.at(-1)}x`, reason: 'other' }) });
          await call('/report', { method: 'POST', body: JSON.stringify({ token: tokens.at(-1), reason: 'other' }) });
        }
        await call('/ad', { method: 'POST', headers, body: JSON.stringify({ ...body, imp: [] }) });
        await call('/ad', { method: 'POST', headers, body: JSON.stringify(body).slice(0, -3) });
        await call('/ad?debug=1', { method: 'POST', headers, body: JSON.stringify({ ...body, user: { id: { nested: USER } } }) });
        await call('/ad', { method: 'POST', headers: { ...headers, 'x-api-key': `${booking.apiKey}x` }, body: JSON.stringify(body) });
        await call(`/nowhere?t=${tokens[0]}&api_key=${booking.apiKey}`);
        await call('/api/publishers', { headers: { authorization: 'Bearer an-administrators-token-but-wrong' } });
      };
      await walk();
      for (const proxies of [fleet.redisProxies, fleet.postgresProxies]) {
        for (const kind of scale.of(['blackhole', 'reset'] as const, ['blackhole'] as const)) {
          for (const proxy of proxies) proxy.set({ kind });
          await sleep(500);
          await walk();
          await Promise.all(
            fleet.replicas.map(({ url }) =>
              fetch(`${url}/reload`, { method: 'POST', signal: AbortSignal.timeout(2_000) }).catch(() => undefined),
            ),
          );
        }
        for (const proxy of proxies) proxy.set({ kind: 'pass' });
        await sleep(1_500);
      }
      for (const { url } of fleet.replicas) said.push(await (await fetch(`${url}/metrics`)).text());
      const texts = [...said, ...fleet.replicas.map((replica) => replica.logs())];
      const hidden = [booking.apiKey, USER, ADDRESS, CONSENT, fleet.tokenSecret, 'a-store-password', 'an-administrators-token', ...tokens];
      // The signature alone identifies a token.
      const needles = [...hidden, ...tokens.map((token) => token.split('.')[2] ?? token)];
      const found = needles.filter((needle) => texts.some((text) => text.includes(needle)));
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      return {
        observed: `${needles.length} secrets looked for in ${said.length} answers and ${fleet.replicas.length} logs (${Math.round(size / 1024)} KiB): ${found.length} found${
          found.length > 0
            ? ` (${found
                .slice(0, 3)
                .map((needle) => needle.slice(0, 30))
                .join(', ')})`
            : ''
        }`,
        ok: found.length === 0 && tokens.length > 0 && texts.some((text) => text.includes('"level":"warn"')),
      };
    } finally {
      await fleet.close();
    }
  },
};
