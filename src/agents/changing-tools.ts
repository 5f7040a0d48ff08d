import type { AnswerOf } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { BOOKING_API, type Booking } from '../bookings/booking-api.ts';
import type { BulkOperation } from '../bookings/bulk-api.ts';
import { entityApi } from '../bookings/entity-api.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import { DECLARATION_API } from '../declarations/declaration-api.ts';
import type { CallApi } from './call-api.ts';
import { argumentsOf, bodyOf } from './input-of.ts';
import { changeHeaders, CONFIRMING, type Change, type Looked, type Proposals } from './proposals.ts';
import { CHANGES, READS, refuseTool, tell, tellProblem, type Arguments, type Tool } from './tool.ts';

const MAX_AT_ONCE = 50;

const booking = bodyOf(BOOKING_API.bookCampaign) as { readonly properties: Readonly<Record<string, object>> };
const declaring = {
  publisher: s.described(s.recordId, 'Whose bookings they are'),
  declaration: bodyOf(DECLARATION_API.applyBookings),
  prune: s.described(s.boolean, 'true: archives what the declaration does not have'),
};

/** What staff and their assistants change, each as a proposal until it is confirmed. */
export const changingTools = ({ changing }: Proposals): readonly Tool[] => [
  {
    name: 'plan_bookings',
    title: 'Plan bookings',
    description: 'Says in words what a declaration of the bookings of a publisher would change. Changes nothing.',
    hints: READS,
    route: DECLARATION_API.applyBookings,
    input: argumentsOf(declaring, ['publisher', 'declaration']),
    run: async (given, call) => {
      const looked = await DECLARED.look(given, call);
      return looked.ok ? tell({ would_change: looked.words, ...looked.more }) : looked.answer;
    },
  },
  {
    name: 'apply_bookings',
    title: 'Apply bookings',
    description: 'Makes the bookings of a publisher what a declaration says: all of it, or nothing. Proposes it first.',
    hints: CHANGES,
    route: DECLARATION_API.applyBookings,
    input: argumentsOf({ ...declaring, ...CONFIRMING }, ['publisher', 'declaration']),
    run: changing('apply_bookings', DECLARED),
  },
  {
    name: 'book',
    title: 'Book or change a campaign',
    description:
      'Books a campaign with its line items and creatives, or changes one (with ids): all of it, or nothing. Proposes it first, with ' +
      'what would be refused and what would keep it from serving.',
    hints: CHANGES,
    route: BOOKING_API.bookCampaign,
    input: argumentsOf({ ...booking.properties, ...CONFIRMING }, ['campaign', 'line_items']),
    run: changing('book', BOOKED),
  },
  {
    name: 'pause_or_resume',
    title: 'Pause or resume line items',
    description: `Pauses or resumes up to ${MAX_AT_ONCE} line items: all of them, or none. Proposes it first.`,
    hints: CHANGES,
    route: entityApi(ENTITY_KINDS.line_items).update,
    input: argumentsOf(
      {
        line_item_ids: s.listOf(s.recordId, { minItems: 1, maxItems: MAX_AT_ONCE, uniqueItems: true }),
        active: s.described(s.boolean, 'false: pause'),
        ...CONFIRMING,
      },
      ['line_item_ids', 'active'],
    ),
    run: changing('pause_or_resume', PAUSED),
  },
];

const withoutConfirming = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(CONFIRMING, name)));

const apply = (api: CallApi, { publisher, prune, declaration, ...given }: Arguments, dryRun: boolean, state?: string) =>
  api({
    ...{ method: 'POST', path: '/apply', query: { publisher, prune, dry_run: dryRun }, body: declaration },
    headers: { ...(dryRun ? {} : changeHeaders(given)), 'If-Match': state },
  });

const DECLARED: Change = {
  look: async (given, { api }) => {
    const answer = await apply(api, given, true);
    if (answer.status >= 400) return { ok: false, answer: tellProblem(answer) };
    const { state, changes, unchanged, undeclared } = answer.body as AnswerOf<(typeof DECLARATION_API)['applyBookings']>;
    return { ok: true, words: changes.map(({ words }) => words), state: { state }, more: { unchanged, undeclared } };
  },
  act: (given, { api }, seen) =>
    apply(api, given, false, seen && 'state' in seen && typeof seen.state === 'string' ? seen.state : undefined),
};

const BOOKED: Change = {
  look: async (given, { api }): Promise<Looked> => {
    const asked = withoutConfirming(given);
    const answer = await api({ method: 'POST', path: '/bookings', query: { dry_run: true }, body: asked });
    if (answer.status >= 400) return { ok: false, answer: tellProblem(answer) };
    const { faults, warnings, stops } = answer.body as AnswerOf<(typeof BOOKING_API)['bookCampaign']>;
    if (faults.length > 0) return { ok: false, answer: refuseTool('invalid_request', 'The booking would be refused.', faults) };
    return { ok: true, words: wordsOfBooking(asked as unknown as Booking), more: { warnings, stops } };
  },
  act: (given, { api }) => api({ method: 'POST', path: '/bookings', body: withoutConfirming(given), headers: changeHeaders(given) }),
  operations: (given) => operationsOf(given as unknown as Booking),
};

/** What a second person can approve of a booking: changes of records that exist. */
const operationsOf = ({ advertiser, campaign, line_items: items }: Booking): readonly BulkOperation[] | undefined => {
  const parts = [
    { table: 'campaigns', ...campaign },
    ...items.flatMap(({ creatives, ...item }) => [
      { table: 'line_items', ...item },
      ...creatives.map((creative) => ({ table: 'creatives', ...creative })),
    ]),
  ].filter(({ id, fields }) => id === undefined || Object.keys(fields).length > 0);
  if (advertiser || parts.some(({ id }) => id === undefined)) return undefined;
  return parts.map(({ table, id, fields }) => ({ method: 'PATCH', path: `/${table}/${id}`, body: fields }));
};

const wordsOfBooking = ({ advertiser, campaign, line_items: items }: Booking): readonly string[] => {
  const part = (what: string, { id, fields }: { readonly id?: number | undefined; readonly fields: object }): readonly string[] => {
    if (id !== undefined && Object.keys(fields).length === 0) return [];
    const named = (fields as { readonly name?: unknown }).name;
    const values = Object.entries(fields).filter(([name]) => name !== 'name' && name !== 'content');
    const said = values.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
    return [`${id === undefined ? 'create' : 'change'} ${what} ${id ?? JSON.stringify(named ?? '')}: ${said}`];
  };
  return [
    ...(advertiser ? part('advertiser', { fields: advertiser }) : []),
    ...part('campaign', campaign),
    ...items.flatMap((item) => [...part('line item', item), ...item.creatives.flatMap((creative) => part('creative', creative))]),
  ];
};

const pausing = ({ line_item_ids: ids, active }: Arguments, tags: Readonly<Record<string, string>> = {}): readonly BulkOperation[] =>
  (ids as readonly number[]).map((id) => ({
    ...{ method: 'PATCH', path: `/line_items/${id}`, body: { active } },
    ...(tags[id] !== undefined && { if_match: tags[id] }),
  }));

const PAUSED: Change = {
  look: async ({ line_item_ids: ids, active }, { api }) => {
    const words: string[] = [];
    const tags: Record<string, string> = {};
    for (const id of ids as readonly number[]) {
      const answer = await api({ method: 'GET', path: `/line_items/${id}` });
      if (answer.status >= 400) return { ok: false, answer: tellProblem(answer) };
      const { name, active: was } = answer.body as EntityRecord;
      tags[id] = answer.headers.get('etag') ?? '';
      if (was !== active) words.push(`${active === true ? 'resume' : 'pause'} line item ${id} ${JSON.stringify(name)}`);
    }
    return { ok: true, words, state: tags };
  },
  act: (given, { api }, tags) =>
    api({
      ...{ method: 'POST', path: '/bulk', headers: changeHeaders(given) },
      body: { operations: pausing(given, tags as Readonly<Record<string, string>> | undefined) },
    }),
};
