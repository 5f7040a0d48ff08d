import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';

export interface Booking {
  readonly placement: string;
  readonly size?: readonly [width: number, height: number];
  readonly format: 'html' | 'banner' | 'native';
  readonly content: string;
  readonly clickUrl?: string;
}

/** The service under test, and the only file that knows how it was started. */
export interface AdService {
  readonly baseUrl: string;
  readonly publisherId: number;
  readonly apiKey: string;
  /** Stored events of a placement. */
  readonly stored: (placement: string, kind: 'impression' | 'click' | 'event', type?: string) => Promise<number>;
  readonly storedReports: (placement: string) => Promise<number>;
  readonly stop: () => Promise<void>;
}

const post = async (url: string, body: object): Promise<{ readonly id: number; readonly api_key: string }> => {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: number; api_key: string };
};

const FLIGHT = { start_date: '2020-01-01', end_date: '2099-01-01' };

/** A service with these creatives booked, one placement each, that allows `viewable` beside the default event types. */
export const startAdService = async (bookings: readonly Booking[]): Promise<AdService> => {
  const baseUrl = process.env['AD_SERVICE_URL'];
  if (!baseUrl) throw new Error('AD_SERVICE_URL names the ad server that the browser tests use.');
  const api = `${baseUrl}/api`;
  const publisher = await post(`${api}/publishers`, { name: 'Browser tests', domain: 'localhost' });
  const campaign = await post(`${api}/campaigns`, { publisher_id: publisher.id, name: 'Browser tests', ...FLIGHT });
  const item = await post(`${api}/line_items`, {
    campaign_id: campaign.id,
    name: 'All',
    active: true,
    budget_type: 'CPM',
    cpm: 2,
    ...FLIGHT,
  });
  for (const { placement, size = [300, 250], format, content, clickUrl } of bookings) {
    await post(`${api}/placements`, { id: placement, width: size[0], height: size[1], formats: [format] });
    const click = clickUrl ? { click_url: clickUrl } : {};
    await post(`${api}/creatives`, { placement_id: placement, line_item_id: item.id, format, content, ...click });
  }
  await fetch(`${baseUrl}/reload`, { method: 'POST' });
  const count = async (path: string): Promise<number> => ((await (await fetch(baseUrl + path)).json()) as { n: number }).n;
  return {
    baseUrl,
    publisherId: publisher.id,
    apiKey: publisher.api_key,
    stored: (placement, kind, type = '') => count(`/_stored?placement=${placement}&kind=${kind}&type=${type}`),
    storedReports: (placement) => count(`/_reports?placement=${placement}`),
    stop: async () => {},
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
