import { t } from '../words/texts.ts';

/** A question that people have at a screen, with its answer and where the documents say more. */
export interface HelpQuestion {
  readonly id: string;
  /** The screens that it is about, by their names in the navigation. */
  readonly about: readonly string[];
  readonly question: string;
  readonly answer: string;
  /** Below /static/docs/, with the anchor of a heading. */
  readonly doc: string;
}

export const HELP_QUESTIONS: readonly HelpQuestion[] = [
  {
    ...{ id: 'behind', about: ['overview', 'line_items', 'campaigns', 'alerts'], doc: 'concepts/status.html' },
    question: t`Why is a line item behind?`,
    answer: t`It has delivered less than the part of its goal that is due by now. On its page, the way from request to revenue says where impressions are lost: to others that rank higher, to a cap, or because they are not for its visitors. “What helps?” on Home shows each remedy with its effect.`,
  },
  {
    ...{ id: 'cannot-serve', about: ['overview', 'line_items', 'campaigns', 'creatives', 'test'], doc: 'tutorial.html#why-is-there-no-ad' },
    question: t`Why can it not serve?`,
    answer: t`Its status names what is missing: an approved creative that fits a placement, a flight that runs, a budget that is left. “Test an ad” asks as a visitor would, counts nothing, and shows at which step each candidate is left out.`,
  },
  {
    ...{ id: 'outranked', about: ['overview', 'line_items', 'campaigns'], doc: 'concepts/decision.html' },
    question: t`Why is it outranked?`,
    answer: t`Others with a better priority, or with a higher price at the same priority, won the impressions that it could have had. “Lost today” on its page names them, and the price that would have won.`,
  },
  {
    ...{ id: 'pacing', about: ['line_items', 'campaigns'], doc: 'pacing.html' },
    question: t`What do ASAP, Even and PID mean?`,
    answer: t`ASAP takes every impression that it wins. Even spreads what is left over the days that are left, and each day over its hours as traffic usually comes. PID does so too, and corrects itself by what was delivered.`,
  },
  {
    ...{ id: 'book', about: ['campaigns', 'line_items'], doc: 'booking.html' },
    question: t`How is an e-mail or a spreadsheet booked?`,
    answer: t`“Add a campaign” is one screen. Type the advertiser, open the groups of the line item, drop all files on the page: they are matched to placements by size. Rows that are pasted from a spreadsheet become line items. What is typed is kept as a draft.`,
  },
  {
    ...{ id: 'forecast', about: ['availability', 'campaigns', 'line_items', 'timeline'], doc: 'forecast.html#how-good-they-were' },
    question: t`How sure is a forecast?`,
    answer: t`It replays a sample of earlier requests with all bookings, so it knows what others take. The bar shows its range. Availability says how good earlier forecasts were.`,
  },
  {
    ...{ id: 'fits', about: ['creatives', 'placements', 'files'], doc: 'api.html#trafficking-api-api' },
    question: t`Why does a creative not run on a placement?`,
    answer: t`The placement has to allow its format, its size has to fit, and it has to be approved. A creative without placements follows those of its line item.`,
  },
  {
    ...{ id: 'on-page', about: ['creatives', 'placements'], doc: 'sdk.html#previews-on-the-page-itself' },
    question: t`How does an ad look on the page?`,
    answer: t`The preview shows it on a picture of the page, or, when the placement names a page that shows it, on that page itself. Nothing is counted there.`,
  },
  {
    ...{ id: 'proof', about: ['creatives', 'campaigns', 'inbox'], doc: 'reports.html#proofs-of-ads' },
    question: t`How does the advertiser approve ads?`,
    answer: t`“Share a proof” on a campaign makes a link without sign-in. Behind it the advertiser sees each ad in each size, comments, and approves it or asks for changes. What is said comes to your inbox.`,
  },
  {
    ...{ id: 'tag', about: ['placements', 'publishers', 'overview'], doc: 'tags.html' },
    question: t`How do ads come on a page?`,
    answer: t`The page of a placement has its tags to copy: a script for web pages, a frame, or VAST for players. Home notices the first request by itself.`,
  },
  {
    ...{ id: 'no-ad', about: ['placements', 'test', 'complaints'], doc: 'sdk.html#why-this-ad-the-debug-overlay' },
    question: t`Why does a page show no ad, or this one?`,
    answer: t`Add ?adsdk_debug to the address of the page: each slot says what was decided. A debug link of the placement shows prices and priorities, too.`,
  },
  {
    ...{ id: 'net', about: ['reports', 'finance', 'overview'], doc: 'invalid-traffic.html#gross-filtered-provisional-net' },
    question: t`Why do figures differ from those of another server?`,
    answer: t`Figures are net: hits of spiders, data centres and programs are filtered, and are not billed. Reports have gross and filtered beside them. Days are those of the publisher.`,
  },
  {
    ...{ id: 'share', about: ['reports', 'advertisers', 'campaigns'], doc: 'reports.html#read-only-links' },
    question: t`How does an advertiser see a report?`,
    answer: t`“Share” makes a link that shows one report of one advertiser without sign-in: figures, the course of each campaign, its ads and its screenshots. It ends by itself, or when it is revoked.`,
  },
  {
    ...{ id: 'close', about: ['finance'], doc: 'reports.html#finance' },
    question: t`What does it mean to close a month?`,
    answer: t`A closed month is a document: its names, figures and rate stay as they are. What changes later is a correction, in the month in which it is found.`,
  },
  {
    ...{ id: 'second-person', about: ['approvals', 'publishers', 'people'], doc: 'people.html#a-second-person' },
    question: t`Which changes need a second person?`,
    answer: t`Each publisher says so in its settings: low prices, large budgets, priority 1, closing a month, unblocking a creative. Pausing never waits.`,
  },
  {
    ...{ id: 'roles', about: ['people', 'account'], doc: 'people.html#roles' },
    question: t`Who may do what?`,
    answer: t`A person has roles, for all publishers or for some. The table of roles shows what each allows; an administrator makes others.`,
  },
  {
    ...{ id: 'alerts', about: ['alerts'], doc: 'alerts.html#recipients' },
    question: t`Who gets alerts?`,
    answer: t`Those whom “Send them to…” lists, by mail or webhook, as soon as something is found. A digest each morning lists what is at risk, as Home does.`,
  },
  {
    ...{ id: 'bidder', about: ['bidders'], doc: 'programmatic.html#bidders' },
    question: t`Why does a bidder win nothing?`,
    answer: t`Its page counts its answers: no bid, too late, below the floor, blocked. Direct line items of a better priority come first.`,
  },
  {
    ...{ id: 'undo', about: ['history', 'line_items', 'campaigns'], doc: 'people.html#history' },
    question: t`How is a change taken back?`,
    answer: t`The notice after a change has “Undo”. Later, History lists every change with who made it: “Undo” brings the fields back, “Restore” what was deleted.`,
  },
  {
    ...{ id: 'keys', about: ['overview', 'line_items', 'campaigns', 'creatives', 'account'], doc: 'booking.html' },
    question: t`Which keys are there?`,
    answer: t`/ or Ctrl+K finds screens and records. In lists, j and k lead through the rows, x chooses one, Enter opens it, e edits it. Ctrl+Enter saves a booking. ? opens this help.`,
  },
];
