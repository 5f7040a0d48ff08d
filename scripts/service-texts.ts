import { PERMISSIONS, PERMISSION_AREAS, ROLE_NAMES } from '../src/access/permissions.ts';
import { ENTITIES, entityOf, ENTITY_TABLES } from '../src/catalog/entities/entities.ts';
import { formOf } from '../src/catalog/entities/form.ts';
import { ALERT_KINDS } from '../src/catalog/model/alert-kinds.ts';
import * as choices from '../src/catalog/model/choices.ts';
import { LINE_ITEM_CLASS_TERMS } from '../src/catalog/model/line-item-classes.ts';
import { VIDEO_ERRORS } from '../src/catalog/model/video-events.ts';
import { ATTENTION_WORDS } from '../src/delivery/at-stake/attention-words.ts';
import { DELIVERY_STATUSES, NoBidReason, STAGES, wordsOf } from '../src/decision/no-bid-reason.ts';
import { PROBLEMS } from '../src/http/problems/problem.ts';
import { DIMENSIONS } from '../src/reports/report-dimensions.ts';
import { METRICS } from '../src/reports/report-fields.ts';
import { RANGES } from '../src/reports/report-question.ts';
import { withArticle } from '../admin/words/kinds.ts';
import { isWord } from '../admin/words/service-words.ts';

export { patternOf } from '../admin/words/texts.ts';

/** A text of the service. Where it has placeholders, the page finds their values by the words around them. */
export interface ServiceText {
  readonly id: string;
  readonly plural?: string;
}

const wordsIn = (table: unknown): readonly string[] => {
  if (Array.isArray(table)) return table.flatMap(wordsIn);
  if (typeof table !== 'object' || table === null) return [];
  return Object.entries(table).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' && isWord(name) ? [value] : wordsIn(value),
  );
};

/** Examples of what is typed, and signs: the same in every language. */
const EXAMPLE = /^(https?:.*|[\w.-]+\.example.*|\{".*|\$\S*|[A-Z]{2,3}(-[A-Z]{2})?|[A-Z]{3}\d+|\d+G?|%|px|[A-Za-z]+\/[A-Za-z]+)$/;

/** What the history names besides records of the catalog. */
const HISTORY = [
  ...['role', 'person', 'second factor', 'saved report', 'password', 'api token', 'report link', 'person link', 'identity'],
  ...['events', 'counters', 'books', 'asset', 'approval', 'alert recipient'],
];

/** How the goal of a flight does, by what it counts. */
const COURSES = ['impressions', 'clicks'].flatMap((of) => [
  `Its flight has not begun: {0} of {1} ${of}.`,
  ...['On course', 'Behind by {0}'].flatMap((course, first) => {
    const words = `${course}: {${first}} of {${first + 1}} ${of}, {${first + 2}} due by now.`;
    return [words, `${words} At the rate of the last day, it would end at about {${first + 3}}.`];
  }),
  `Reached: {0} of {1} ${of}.`,
  `Ended at {0} of {1} ${of} ({2}).`,
]);

/** What the API says in sentences with values, wherever the page shows them. */
const SENTENCES = [
  ...COURSES,
  'The link has ended or is not valid. Ask for a new one.',
  'The forecast could not be made: try again in a minute',
  'expected to deliver {0} of {1} that are due by {2}',
  'Traffic is known for {0} days only, of which {1} are forecast: there is no trend yet, and the range is wide',
  'Other bookings are not considered yet: they are being replayed',
  'Nothing is known of the traffic yet: the first whole day of requests has not ended',
  '{0} id',
  'it has no creative',
  'its flight ended with {0}',
  'its flight begins {0}',
  'the flight of its campaign ended with {0}',
  'the flight of its campaign begins {0}',
  'it is paused and not complete',
  'at this moment {0}',
  'it serves at other hours: again from {0}',
  'creative {0}: {1}',
  'and {0} more creatives',
  'other line items rank before it: it won none of {0}',
  'its targeting matched none of {0}',
  '{0} impressions in the last day, so it misses at least {1} (95% certain)',
  'nothing stops it; it has not been shown since yesterday',
  'it has not been shown since yesterday',
  '{0} delivered or reserved of {1} due by now',
  'Behind by {0} today: {1}',
  'ends with {0}',
  '{0} complaint in seven days; of {1}',
  '{0} complaints in seven days; of {1}',
  '{0} errors of players since yesterday, {1}% of its plays; most often {2}: {3}; of {4}',
  'none of {0} starts since yesterday was played to its end; of {1}',
  'Serve as fast as possible instead of pacing',
  'Raise the daily cap to {0}',
  'Raise the budget to {0}',
  'Raise the budget of the campaign to {0}',
  'Raise the frequency cap to {0}',
  'Raise the rate limit to {0} a second',
  'Raise the price to {0}',
  'run {0} days longer',
  'take the frequency cap away',
  'take the daily cap away',
  'give it priority {0}',
  'raise its price to {0} CPM',
  'show it on {0} too',
  'take its targeting away',
  'Set the priority to {0}',
  'weighs {0}, and platforms take {1}: compress its pictures as WebP or AVIF, and leave out what it does not use',
  'moves without end, and platforms allow 30 seconds: let it play a number of times, and stand still then',
  'moves for {0} seconds, and platforms allow 30: shorten it, or let it play fewer times',
  'does not open clickTag: let a click open window.clickTag, so that it is counted and leads to the click address',
  'has no click address, so that a click leads nowhere: enter one',
  'loads {0} and {1} more without encryption, which pages refuse: use https',
  'loads {0} without encryption, which pages refuse: use https',
  'leads to an address without encryption, of which browsers warn: use https',
  'may play a sound by itself, which platforms refuse: begin muted, and play sound after a click only',
  'has text of {0}, a contrast of {1}: at least {2} is readable, so darken one and lighten the other',
  'is required',
  'is not a known field',
  'must not be empty',
  'must be a number',
  'must be a whole number',
  'must be at least {0}',
  'must be at most {0}',
  'must be more than {0}',
  'must be less than {0}',
  'must be one of {0}',
  'must be after {0}',
  'must be after from: hours past midnight are a part of the next day, from 00:00',
  'must be a full or half hour, such as 08:30 or 24:00',
  'overlaps part {0} on {1}: an hour is in one part only',
  'names no day of the flight, which has {0}: choose one of these, or another flight',
  'must be the IANA name of a time zone, such as Europe/Berlin, or UTC',
  'must be an ISO 4217 currency code, such as EUR',
  'must be an ISO 3166-2 code, such as US-CA: a country, a hyphen and its region',
  'excludes {0}, and the targeting includes {1}: remove one of them',
  'must not be below min: exchange the two',
  'has a prefix and a range: write them as two values of a list',
  'needs priority 1: it comes before all others',
  'is for a direct line item: a bidder may not bid',
  'is for a direct line item: a bidder answers for each impression by itself',
  'with line items {0} it is {1}% of placement {2}: lower a share, or target them apart. Shares above 100% are scaled down',
  'cannot be sequence: a roadblock shows its creatives together',
  'cannot be sequence: the ads of a programmatic line item are those of its bids',
  'needs a frequency cap of the impressions of the line item, which counts what a user has seen: set {0}',
  'needs a roadblock, which shows its creatives together: set roadblock of the line item first',
  'cannot end while creatives are of a companion set: empty {0} of creative {1} first',
  'never applies: {0} allows only {1}. Leave one of them out',
  'never applies: the budget of the whole flight is {0}. Leave it out, or give less',
  'must say how many impressions or clicks it allows: give one of them',
  'cannot be in the same cap as impressions: add a separate cap for it',
  'allows {0} impressions in the {1} days of the flight, and the goal is {2}: raise it to {3}, or lower the goal',
  'pays for {0} impressions at a CPM of {1}, and the goal is {2}: raise it to {3}, or lower the goal',
  'must be {0} with class {1}: {2}. Change it, or choose another class',
  'must have no value with class {0}: {1}. Change it, or choose another class',
  'or {0} is required with class {1}: {2}',
  'is required with class {0}: {1}',
  'has no value, and the publisher has dynamic allocation: while the line item is ahead of its goal, any bid wins over it. Set cpm, or another class',
  'must be {0}, {1}% below the list price of {2}: leave it out, or change the discount',
  'is required with discount: the price before it',
  'must have no value with {0}: it has no price. Leave it out',
  'must be Flat with {0}: its events bill nothing',
  'is for the same as price {0}: remove one of them, or name another placement, size or days',
  'cannot change: its campaigns are booked in {0}. Add another publisher for {1}, or set {2} to have statements in it too',
  'must be an e-mail address such as {0}',
  'must have at least one value',
  'must have at least {0} characters',
  'must have at most {0} characters',
  'must have at most {0} values',
  'must not have the same value twice',
  'must be a day such as {0}',
  'must be an RFC 3339 date or date-time',
  'must be an RFC 3339 date-time, such as {0}',
  'must be an http or https URL',
  'must be an http, https or root-relative URL',
  'must be a host name, such as {0}',
  'must be an http or https origin without a path, such as {0} or {1}',
  'must be a header name, such as Authorization',
  'must be visible ASCII characters and spaces',
  'must be an e-mail address, such as {0}',
  'must be a language as BCP 47 writes it, such as {0} or {1}',
  'must be an ISO 3166-1 alpha-2 country code',
  'must be a JSON object',
  'The booking was refused, and nothing was changed: {0} faults.',
  'is required with {0}',
  'is required with {0}, unless it has a cpm',
  'is set by the service',
  'is what the bidder has: leave it out',
  'needs pacing Even or PID: ASAP spreads nothing',
  'is below {0}',
  'is above {0}',
  'is more than {0}% below {1}',
  'has no end, and {0} is the most',
  'is 1',
  '{0} does not exist',
  'refers to {0}, which does not exist',
  'targeting {0} is archived',
  '{0} belongs to {1}, the line item to {2}',
  'Your roles do not include the permission to {0}.',
  'cannot change once the {0} may have been served: duplicate it instead',
  'is fixed: add another {0} instead',
  'its flight runs until {0}, and it may deliver the rest: end it or pause it first',
  '{0} was deleted with {1}: restore that',
  'there is another {0} now: delete or rename that one',
  '{0} needs {1}, which is deleted: restore that first',
  'cannot be stored, because SEAL_KEYS is not set',
  'closing a month needs a second person',
  'the campaign has no line item',
  'line items name it: {0}. Set {1} to another one or to null first',
  'there are no campaigns',
  'must be one of: {0}',
  'must be a width and a height, such as {0}',
  'must be a {0}: {1}',
  'must have a metric',
  'is not a known parameter',
  'is no filter: use from and to',
  'must have 1 to {0} values',
  'must not be given with from or to',
  'must not be after to',
  '{0} is not known by {1}; it is known by {2}: {3}',
  'matches nothing: there is no such {0}',
  'must have an e-mail address or a webhook',
  'must have either e-mail addresses or a webhook: each is tried again apart',
  'must be false: it is sent by e-mail alone',
  'must say what to change, or comment',
  'is not your password',
  'must be advertiser: others are given by administrators',
  'is refused: {0}',
  'There is no such sign-in provider.',
  'The sign-in was cancelled, or the provider does not allow it.',
  'What the provider answered could not be verified.',
  'This person has no role here. An administrator can give one.',
  'This person is disabled here. An administrator can change that.',
  '{0} is not a role: see GET {1}',
  'must allow no more than you may do yourself. You may not {0}',
  'must have {0} and month',
  'you cannot close this month',
  'say why',
  'does not exist',
  'has no {0}',
  'is there twice: the same creative, placement and day',
  'must be small letters, digits and hyphens',
  'must be a code such as {0}',
  'must be a domain such as {0}',
  'has to be said',
  'names the same column as {0}',
  'has no column {0}',
  'is empty: {0} is required',
  'has no price',
  'is before the start',
  'names a file that is not stored: {0}',
  'what agents buy needs a second person',
];

/** Every text that is not in the page's own source. For scripts/texts.mjs. */
export const serviceTexts = (): readonly ServiceText[] => {
  const kinds = ENTITY_TABLES.map((kind) => ENTITIES[kind]);
  const words = [
    ...kinds.flatMap(({ one, many }) => [withArticle(one), many, many.toLowerCase()]),
    ...ENTITY_TABLES.flatMap((kind) => [entityOf(kind).about, ...wordsIn(formOf(entityOf(kind)))]),
    ...wordsIn(Object.values(choices)),
    ...Object.values(LINE_ITEM_CLASS_TERMS).map(({ is }) => is),
    ...wordsIn(ALERT_KINDS),
    ...wordsIn(ATTENTION_WORDS),
    ...DELIVERY_STATUSES,
    ...['live', 'blocked', 'deleted', 'later', 'draft', 'pending', 'rejected'],
    ...STAGES,
    ...Object.values(NoBidReason).map(wordsOf),
    ...wordsIn(PROBLEMS),
    ...Object.values(PERMISSIONS),
    ...Object.keys(PERMISSION_AREAS),
    ...ROLE_NAMES,
    ...wordsIn(DIMENSIONS),
    ...wordsIn(METRICS),
    ...wordsIn(RANGES),
    ...Object.values(VIDEO_ERRORS),
    ...HISTORY,
    ...SENTENCES,
  ];
  return [
    ...kinds.map(({ one }) => ({ id: one, plural: `${one}s` })),
    ...[...new Set(words)].filter((text) => !EXAMPLE.test(text)).map((id) => ({ id })),
  ];
};
