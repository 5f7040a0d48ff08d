import { apiOf, book, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** What a request says besides its placement. */
export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly kv?: object;
  readonly device?: object;
  readonly site?: object;
  readonly user?: object;
  readonly regs?: object;
}

/** A replica whose line items are booked with some targeting. */
export const setUp = () => {
  let replica: Replica;
  let api: ApiCall;

  beforeAll(async () => {
    replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
    api = apiOf(replica.url);
  });

  /** `served`, or the reason of the no-bid with its words. */
  const served = async ({ publisher, placement }: Booked, { headers, kv, ...asked }: Asked): Promise<string> => {
    const answer = await fetch(`${replica.url}/ad?debug=1`, {
      method: 'POST',
      headers: { 'X-API-Key': publisher.api_key, ...headers },
      body: JSON.stringify({
        id: 'r',
        imp: [{ id: '1', tagid: placement }],
        user: { id: 'u' },
        ...asked,
        ext: { publisher_id: publisher.id, kv },
      }),
    });
    const { seatbid, debug } = await answer.json();
    if (seatbid.length > 0) return 'served';
    const [refused] = (debug.trace.imps[0].steps as Json[]).flatMap(({ rejected }) => rejected as Json[]);
    return `${refused.reason}: ${refused.detail}`;
  };

  const refusedItem = async (fields: object): Promise<readonly object[]> => {
    const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
    const { status, body } = await api('POST', '/line_items', {
      campaign_id: 1,
      name: 'Boots',
      active: true,
      ...flight,
      cpm: 1,
      ...fields,
    });
    expect(status).toBe(400);
    return body.errors as object[];
  };

  return {
    served,
    api: (): ApiCall => api,
    replica: (): Replica => replica,
    booked: (placement: string, targeting: object): Promise<Booked> => book(api, placement, { targeting }),
    /** The faults of a line item with this targeting. */
    refusal: (targeting: object): Promise<readonly object[]> => refusedItem({ targeting }),
    /** The faults of a line item with these fields. */
    refusedItem,
  };
};
