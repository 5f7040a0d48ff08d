import { PERMISSIONS, PERMISSION_AREAS, ROLE_NAMES } from '../src/access/permissions.ts';
import { ENTITIES, entityOf, ENTITY_TABLES } from '../src/catalog/entities/entities.ts';
import { formOf } from '../src/catalog/entities/form.ts';
import { ALERT_KINDS } from '../src/catalog/model/alert-kinds.ts';
import * as choices from '../src/catalog/model/choices.ts';
import { VIDEO_ERRORS } from '../src/catalog/model/video-events.ts';
import { ATTENTION_WORDS } from '../src/delivery/at-stake/attention-words.ts';
import { DELIVERY_STATUSES, NoBidReason, STAGES, wordsOf } from '../src/decision/no-bid-reason.ts';
import { PROBLEMS } from '../src/http/problems/problem.ts';
import { DIMENSIONS } from '../src/reports/report-dimensions.ts';
import { METRICS } from '../src/reports/report-fields.ts';
import { RANGES } from '../src/reports/report-question.ts';
import { withArticle } from '../admin/words/kinds.ts';
import { isWord } from '../admin/words/service-words.ts';

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

/** What the API says in sentences with values, wherever the page shows them. */
const SENTENCES = [
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
  '{0} errors of players since yesterday, {1} % of its plays; most often {2}: {3}; of {4}',
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
  'raise its price to {0}',
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
  'must be an e-mail address such as {0}',
  'must have at least one value',
  'must have at least {0} characters',
  'must have at most {0} characters',
  'must have at most {0} values',
  'must not have the same value twice',
];

/** Every text that is not in the page's own source. For scripts/texts.mjs. */
export const serviceTexts = (): readonly ServiceText[] => {
  const kinds = ENTITY_TABLES.map((kind) => ENTITIES[kind]);
  const words = [
    ...kinds.flatMap(({ one, many }) => [withArticle(one), many, many.toLowerCase()]),
    ...ENTITY_TABLES.flatMap((kind) => [entityOf(kind).about, ...wordsIn(formOf(entityOf(kind)))]),
    ...wordsIn(Object.values(choices)),
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
