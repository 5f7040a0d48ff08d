import { hitText } from '../../src/ledger/hit-text.ts';
import type { Hit } from '../../src/ledger/hit.ts';

/** The fields of the stream entry of a hit, as settle.lua writes them. */
export const entryOf = (event: string): string[] => ['e', event, 'at', String(Date.now()), 'billed', '1000'];

const withAd = (hit: Hit, changes: Readonly<Record<string, unknown>>): Hit => ({ ...hit, ad: { ...hit.ad, ...changes } });

/** 120 kB that do not compress: longer than an entry of an index of Postgres may be. */
const longText = (): string => Array.from({ length: 10_000 }, () => Math.random().toString(36)).join('');

export interface Poison {
  /** The code under which Postgres refuses it; null: it cannot be read. */
  readonly sqlState: string | null;
  readonly of: (hit: Hit) => string;
}

/** Events that Postgres refuses for a lasting reason, and entries that are no events. */
export const POISONED_EVENTS: readonly Poison[] = [
  { sqlState: '22021', of: (hit) => hitText(withAd(hit, { userHash: 'a\0b' })) },
  { sqlState: '22003', of: (hit) => hitText(withAd(hit, { creativeId: 2 ** 40 })) },
  { sqlState: '54000', of: (hit) => hitText(withAd(hit, { tokenId: longText() })) },
  { sqlState: null, of: (hit) => hitText(withAd(hit, { day: 1e9 })) },
  { sqlState: null, of: () => '{"ad":' },
];

/** Rows of pending_hits that can never be folded. */
export const POISONED_HITS: readonly ((hit: Hit) => string)[] = [
  () => '{}',
  (hit) => JSON.stringify(withAd(hit, { tokenExpS: 1e300 })),
  (hit) => JSON.stringify(withAd(hit, { priceMicros: 'a lot' })),
];
