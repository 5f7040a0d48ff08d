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
  creativeArchived: { status: 'cannot serve', words: 'the creative is archived' },
  creativeDraft: { status: 'cannot serve', words: 'the creative is a draft' },
  creativePending: { status: 'cannot serve', words: 'the creative waits for approval' },
  creativeRejected: { status: 'cannot serve', words: 'the creative is rejected' },
  campaignPaused: { status: 'paused', words: 'the campaign is paused' },
  lineItemPaused: { status: 'paused', words: 'the line item is paused' },
  creativeBlocked: { status: 'cannot serve', words: 'the creative is blocked' },
} as const satisfies Readonly<Record<string, { readonly status: 'archived' | 'paused' | 'cannot serve'; readonly words: string }>>;

export type Stop = keyof typeof STOPS;

interface Stoppable {
  readonly stop: Stop | null;
}

/** What staff have set that keeps a booking from serving; null: nothing. */
export const stopOf = ({ creative, lineItem, campaign }: Readonly<Record<'creative' | 'lineItem' | 'campaign', Stoppable>>): Stop | null =>
  campaign.stop ?? lineItem.stop ?? creative.stop;
