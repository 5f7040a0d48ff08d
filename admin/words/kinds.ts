import { hashOf } from '../route.ts';
import type { Store } from '../service/store.ts';
import type { Counts, Kind, Records } from '../service/wire.ts';

/** What the entities are called. */
export const NAMES: Readonly<Record<Kind, { readonly one: string; readonly many: string }>> = {
  publishers: { one: 'publisher', many: 'Publishers' },
  placements: { one: 'placement', many: 'Placements' },
  campaigns: { one: 'campaign', many: 'Campaigns' },
  line_items: { one: 'line item', many: 'Line items' },
  creatives: { one: 'creative', many: 'Creatives' },
};

/** A record as people call it. */
export const titleOf = <K extends Kind>(kind: K, record: Records[K]): string => {
  if (kind === 'creatives') return `Creative ${record.id}`;
  if (kind === 'placements') return String(record.id);
  return (record as { readonly name?: string }).name || `${capital(NAMES[kind].one)} ${record.id}`;
};

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const linkTo = (kind: Kind, id: string | number): string => hashOf([kind, id]);

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `3 line items and 7 creatives`; '' when there is none. */
export const describeCounts = ({ placements = 0, campaigns = 0, line_items = 0, creatives = 0 }: Counts): string =>
  [
    ...(placements > 0 ? [counted(placements, 'placement')] : []),
    ...(campaigns > 0 ? [counted(campaigns, 'campaign')] : []),
    ...(line_items > 0 ? [counted(line_items, 'line item')] : []),
    ...(creatives > 0 ? [counted(creatives, 'creative')] : []),
  ]
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

export const publisherOfCampaign = (store: Store, campaignId: number): Records['publishers'] | undefined =>
  store.find('publishers', store.find('campaigns', campaignId)?.publisher_id);
