import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';

const DAY_MS = 86_400_000;

let tokens = 0;

/** An impression at noon of 2026-06-15, of publisher 1, campaign 2, line item 3 and creative 4, that bills 1,000 micros. A custom event bills nothing, unless its ad bills viewable impressions. */
export const NOON = Date.UTC(2026, 5, 15, 12);

/** An event with changes to its ad, and to its hit. */
export const eventOf = (ad: Partial<ServedAd> = {}, hit: Partial<Hit> = {}, atMs = NOON): StoredEvent => ({
  hit: {
    ad: {
      ...{ tokenId: `token-${++tokens}`, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 4, placementId: 'top' },
      ...{ priceMicros: 1000, billsOn: 'impression', day: Math.floor(atMs / DAY_MS), holdEndMs: 0, tokenExpS: 0, servedAtMs: 0 },
      ...{ userHash: null, billingNotice: false },
      ...ad,
    },
    ...{ kind: 'impression', eventType: '', invalidReason: '', atMs, country: null, device: null },
    ...hit,
  },
  reason: hit.invalidReason ?? '',
  atMs,
  billedMicros: hit.kind === 'event' && ad.billsOn !== 'viewable' ? 0 : 1000,
});

/** The fields of the stream entry of an event, as settle.lua writes them. */
export const fieldsOf = ({ hit, reason, atMs, billedMicros }: StoredEvent): string[] => [
  ...['e', hitText(hit)],
  ...['at', String(atMs)],
  ...['billed', String(billedMicros)],
  ...(reason === hit.invalidReason ? [] : ['reason', reason]),
];
