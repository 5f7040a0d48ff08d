/**
 * What staff have set that keeps a booking from serving, whatever the request: the state that it
 * gives a line item, and the words of traces.
 */
export const STOPS = {
  publisherArchived: { status: 'archived', words: 'the publisher is archived' },
  advertiserArchived: { status: 'archived', words: 'the advertiser is archived' },
  bidderArchived: { status: 'archived', words: 'the bidder is archived' },
  campaignArchived: { status: 'archived', words: 'the campaign is archived' },
  lineItemArchived: { status: 'archived', words: 'the line item is archived' },
  creativeArchived: { status: 'blocked', words: 'the creative is archived' },
  creativeDraft: { status: 'blocked', words: 'the creative is a draft' },
  creativePending: { status: 'blocked', words: 'the creative waits for approval' },
  creativeRejected: { status: 'blocked', words: 'the creative is rejected' },
  campaignPaused: { status: 'paused', words: 'the campaign is paused' },
  lineItemPaused: { status: 'paused', words: 'the line item is paused' },
  creativeBlocked: { status: 'blocked', words: 'the creative is blocked' },
} as const satisfies Readonly<Record<string, { readonly status: 'archived' | 'paused' | 'blocked'; readonly words: string }>>;

export type Stop = keyof typeof STOPS;
