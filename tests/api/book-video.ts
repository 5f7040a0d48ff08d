import type { ApiCall, Json } from './api-client.ts';

/** A placement for players with one line item and one creative. */
export interface BookedVideo {
  readonly key: string;
  readonly publisher: number;
  readonly placement: string;
  readonly lineItem: number;
  readonly creative: Json;
}

/** What it is named, what plays, and fields of its line item and creative, whose format is that of the placement. */
export type Booking = readonly [placement: string, content: object, lineItem?: object, creative?: Json];

export const bookVideo = async (api: ApiCall, ...[placement, content, lineItem = {}, creative = {}]: Booking): Promise<BookedVideo> => {
  const made = async (where: string, body: object): Promise<Json> => {
    const answer = await api('POST', where, body);
    if (answer.status !== 201) throw new Error(`POST ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const publisher = await made('/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  await made('/placements', { id: placement, publisher_id: publisher.id, width: 640, height: 360, formats: [creative.format ?? 'video'] });
  const campaign = await made('/campaigns', { publisher_id: publisher.id, name: 'Autumn', ...flight });
  const item = await made('/line_items', { campaign_id: campaign.id, name: 'Boots', active: true, ...flight, cpm: 4, ...lineItem });
  const booked = await made('/creatives', {
    ...{
      placement_id: placement,
      line_item_id: item.id,
      format: 'video',
      content: JSON.stringify(content),
      click_url: 'https://boots.example/',
    },
    ...creative,
  });
  return { key: publisher.api_key, publisher: publisher.id, placement, lineItem: item.id, creative: booked };
};
