import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { bookCatalog } from '../../../testkit/book-catalog.ts';
import { startReplica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { withClient } from '../../../testkit/databases.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';

export interface Booking {
  readonly placement: string;
  /** Of the placement. */
  readonly size?: readonly [width: number, height: number];
  readonly creativeSize?: readonly [width: number, height: number];
  readonly format: 'html' | 'banner' | 'native' | 'video';
  readonly content: string;
  readonly clickUrl?: string;
}

/** The service under test, and the only file that knows how it was started. It ends with the test file. */
export interface AdService {
  readonly baseUrl: string;
  readonly publisherId: number;
  readonly apiKey: string;
  /** Rows in Postgres of a placement's events; they come from Redis about a second after the hit. */
  readonly stored: (placement: string, kind: 'impression' | 'click' | 'event', type?: string) => Promise<number>;
  readonly storedReports: (placement: string) => Promise<number>;
}

const API_KEY = 'key of the browser tests';

/** A service with these creatives booked, one placement each. `env`: further settings. */
export const startAdService = async (bookings: readonly Booking[], env: Readonly<Record<string, string>> = {}): Promise<AdService> => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'Browser tests',
        domain: 'localhost',
        api_key: API_KEY,
        placements: bookings.map(({ placement, size: [width, height] = [300, 250], format }) => ({
          id: placement,
          width,
          height,
          formats: [format],
        })),
        campaigns: [
          {
            line_items: [
              {
                creatives: bookings.map(({ placement, format, content, clickUrl, creativeSize }) => ({
                  placement_id: placement,
                  format,
                  content,
                  ...(clickUrl && { click_url: clickUrl }),
                  ...(creativeSize && { width: creativeSize[0], height: creativeSize[1] }),
                })),
              },
            ],
          },
        ],
      },
    ],
  });
  const { url } = await startReplica({
    env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ...env },
  });
  const count = (query: string, values: readonly string[]): Promise<number> =>
    withClient(databaseUrl, async (client) => (await client.query<{ n: number }>(query, [...values])).rows[0]!.n);
  return {
    baseUrl: url,
    publisherId: 1,
    apiKey: API_KEY,
    stored: (placement, kind, type = '') =>
      count('select count(*)::int as n from events where placement_id = $1 and kind = $2 and event_type = $3', [placement, kind, type]),
    storedReports: (placement) =>
      count('select count(*)::int as n from reports join creatives on creatives.id = creative_id where placement_id = $1', [placement]),
  };
};

/** An address where nothing listens. */
export const deadAddress = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};
