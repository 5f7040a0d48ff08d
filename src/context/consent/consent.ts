/** Why something is not allowed, in words for the trace and the docs. */
export const DENIALS = {
  child: 'the page is for children (regs.coppa)',
  gdpr_without_consent: 'the GDPR applies, and no readable TCF string was sent',
  tcf: 'the TCF string does not allow it',
  canada: 'the TCF string for Canada does not allow it',
  silence: 'no signal was sent, which the publisher counts as a refusal',
  us_opt_out: 'the user has opted out under a US law',
  gpc: 'the browser sends Global Privacy Control',
  lmt: 'the device limits tracking (device.lmt)',
  not_a_vendor: 'the bidder has no id on the Global Vendor List',
} as const;

export type Denial = keyof typeof DENIALS;

/** null: allowed. */
export type Verdict = Denial | null;

/** What one request allows. */
export interface Consent {
  /** To use the user id: a hash in tokens, and places under frequency caps. */
  readonly remember: Verdict;
  /** To keep with an event what identifies the browser or the user (ledger/stored-hit.ts). */
  readonly measure: Verdict;
  /** To select ads by the audiences that the request says the visitor belongs to. */
  readonly profile: Verdict;
  /**
   * To send a bidder the user id, the whole address and the query of the page.
   *
   * @param gvlId the bidder's id on the IAB Global Vendor List
   */
  readonly shareWith: (gvlId: number | null) => Verdict;
}

/** The fields that are removed from or shortened in a bid request, as the trace and the docs name them. */
export const WITHHELD_FROM_BIDDERS = ['user.id', 'device.ip (last part)', 'site.page (query)'] as const;

/** What the consent signals of a request withheld. */
export interface ConsentTrace {
  readonly remember: boolean;
  readonly measure: boolean;
  readonly profile: boolean;
  readonly withheld: readonly WithheldField[];
}

export interface WithheldField {
  readonly field: string;
  readonly from: string;
  readonly why: string;
}
