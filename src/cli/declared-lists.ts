/** Lists of a file, and the kind of record that is in each. */
export const LISTS = {
  advertisers: 'advertiser',
  bidders: 'bidder',
  placements: 'placement',
  targetings: 'targeting',
  campaigns: 'campaign',
} as const;

/** Records that stand within another. */
export const PARTS: Readonly<Record<string, readonly [list: string, kind: string]>> = {
  campaign: ['line_items', 'line_item'],
  line_item: ['creatives', 'creative'],
};
