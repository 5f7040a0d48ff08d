import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ApiCall, Json } from '../api/api-client.ts';
import { tokenOf } from '../people/staff.ts';

const ADVERTISERS = ['acmeoutdoor.example', 'acme-corp.com', 'nova-brands.com'];

/** What a replica that sells to agents is started with. */
export const SELLING = {
  ADCP: 'on',
  TOOL_URL: 'https://ads.example.com',
  SEAL_KEYS: 'a:seal-key-of-the-tests-with-enough-characters',
} as const;

export interface Seller {
  readonly publisher: number;
  /** Of a buyer for the advertisers of this seller. */
  readonly token: string;
}

/** A publisher that sells placements to agents: what is free of them, and a buyer. */
export const startSelling = async (
  { machine, knex }: { readonly machine: ApiCall; readonly knex: Knex },
  name: string,
  places: readonly { readonly id: string }[],
  more: object = {},
): Promise<Seller> => {
  const made = async (path: string, body: object): Promise<Json> => {
    const answer = await machine('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const rates = ['300x250', '640x360'].map((size) => ({ budget_type: 'CPM', price: 8, size }));
  const { id: publisher } = (await made('/publishers', { name, domain: 'gazette.example', rate_card: rates, ...more })) as { id: number };
  for (const place of places) await made('/placements', { publisher_id: publisher, ...place });
  const figures = { available: [50_000_000], sold: [0], p10: [0], p90: [0] };
  await knex('forecast_bases').insert({
    ...{ publisher_id: publisher, made_on: '2999-01-01', catalog_version: 1 },
    figures: JSON.stringify({ days: ['2999-01-01'], placements: Object.fromEntries(places.map(({ id }) => [id, figures])), bookings: {} }),
  });
  const advertisers = [];
  for (const domain of ADVERTISERS) advertisers.push((await made('/advertisers', { name: domain, domain })).id as number);
  return { publisher, token: await tokenOf(machine, `buyer at ${name}`, ['buyer'], [publisher], advertisers) };
};

/** Calls a tool of the seller. @param token undefined: without one */
export const callSeller = async (
  url: string,
  token: string | undefined,
  name: string,
  given: object = {},
): Promise<{ readonly status: number; readonly value: Json }> => {
  const answer = await fetch(`${url}/adcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  return { status: answer.status, value: (await answer.json()).result?.structuredContent };
};

export const daysAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
export const account = { brand: { domain: ADVERTISERS[0] }, operator: 'agency.example' };

/** A purchase of a week for 800 USD. */
export const purchase = (one: object = {}, more: object = {}) => ({
  ...{ idempotency_key: randomUUID(), account, start_time: daysAhead(1), end_time: daysAhead(8) },
  packages: [{ product_id: 'display-top', pricing_option_id: 'cpm_fixed', budget: 800, ...one }],
  ...more,
});
