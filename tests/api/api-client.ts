import request, { type Response } from 'supertest';

/** A parsed body; the assertions on it are its type check. */
export type Json = ReturnType<typeof JSON.parse>;

/** The items of a list. */
export const itemsOf = (list: Json): readonly Json[] => list as Json[];

/** The values of one field. */
export const each = (rows: Json, field: string): readonly unknown[] => (rows as Record<string, unknown>[]).map((row) => row[field]);

/** `body`: parsed when it is JSON, otherwise the text. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export type ApiCall = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<ApiAnswer>;

/** Calls the trafficking API of one replica. */
export const apiOf =
  (url: string): ApiCall =>
  async (method, path, body, headers = {}) => {
    const call = request(url)
      [method.toLowerCase() as Method](`/api${path}`)
      .set({ 'Content-Type': 'application/json', ...headers });
    return answerOf(await call.send(body as string | object | undefined));
  };

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';

const answerOf = ({ status, headers, body, text, type }: Response): ApiAnswer => ({
  status,
  headers: new Headers(headers),
  body: type.includes('json') ? body : text,
});

export interface Booked {
  readonly publisher: { readonly id: number; readonly api_key: string };
  readonly placement: string;
  readonly campaign: number;
  readonly lineItem: number;
  readonly creative: number;
}

/** Books one direct line item with one creative; `lineItem` overrides its fields, `owner` those of the publisher. */
export const book = async (api: ApiCall, placement: string, lineItem: object = {}, owner: object = {}): Promise<Booked> => {
  const made = async (path: string, body: object) => {
    const answer = await api('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const publisher = await made('/publishers', { name: 'The Gazette', domain: 'gazette.example', ...owner });
  await made('/placements', { id: placement, publisher_id: publisher.id, width: 300, height: 250, formats: ['html'] });
  const campaign = (await made('/campaigns', { publisher_id: publisher.id, name: 'Autumn', ...flight })).id;
  const item = (await made('/line_items', { campaign_id: campaign, name: 'Boots', active: true, ...flight, cpm: 2.5, ...lineItem })).id;
  const creative = (await made('/creatives', { placement_id: placement, line_item_id: item, format: 'html', content: '<b>ad</b>' })).id;
  return { publisher, placement, campaign, lineItem: item, creative };
};

/** POST /ad with the key of the publisher of `booked`. */
export const askForAd = async (url: string, { publisher, placement }: Booked, user = 'u1'): Promise<ApiAnswer> =>
  answerOf(
    await request(url)
      .post('/ad')
      .set('X-API-Key', publisher.api_key)
      .send({ id: 'r', imp: [{ id: '1', tagid: placement }], user: { id: user }, ext: { publisher_id: publisher.id } }),
  );

/** The bid for the ad that the publisher of `booked` gets; undefined: no ad. */
export const serveAd = async (url: string, booked: Booked, user?: string): Promise<Json> =>
  (await askForAd(url, booked, user)).body.seatbid[0]?.bid[0];
