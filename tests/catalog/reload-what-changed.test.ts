import knexFactory from 'knex';
import type { Knex } from 'knex';
import { CATALOG_TABLES, type CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import { createCatalogBuilder } from '../../src/catalog/snapshot/build-catalog.ts';
import { openSnapshot, type OpenedSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import type { CandidateIndex, Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import type { Booking, Creative } from '../../src/catalog/model/entities.ts';
import { ROTATIONS } from '../../src/catalog/model/choices.ts';
import { composeMarkup, type MarkupContent } from '../../src/creative/compose-markup.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { createChance } from '../../testkit/chance.ts';
import { testDatabase } from '../setup/test-database.ts';

const PUBLISHERS = 3;
const ADVERTISERS = 4;
const BIDDERS = 2;
const TARGETINGS = 3;
const CAMPAIGNS = 12;
/** A block and a part of another. */
const LINE_ITEMS = 300;
const FLIGHT = { start_at: '2026-01-01', end_at: '2999-01-01' };

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 2 } });
});
afterAll(() => knex.destroy());

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

const book = async (): Promise<void> => {
  await knex.raw(
    'truncate publishers, placements, advertisers, bidders, targetings, campaigns, line_items, creatives, daily_counts restart identity cascade',
  );
  await knex('publishers').insert(numbers(PUBLISHERS).map((n) => ({ name: `p${n}`, domain: 'p.example', api_key_hash: `h${n}` })));
  await knex('placements').insert(['top', 'side'].map((id) => ({ id, publisher_id: null, width: 300, height: 250, formats: ['html'] })));
  await knex('advertisers').insert(numbers(ADVERTISERS).map((n) => ({ name: `a${n}`, domain: `a${n}.example` })));
  await knex('bidders').insert(numbers(BIDDERS).map((n) => ({ name: `b${n}`, endpoint: `https://b${n}.example/bid` })));
  await knex('targetings').insert(numbers(TARGETINGS).map((n) => ({ publisher_id: (n % PUBLISHERS) + 1, name: `t${n}` })));
  await knex('campaigns').insert(
    numbers(CAMPAIGNS).map((n) => ({ publisher_id: (n % PUBLISHERS) + 1, advertiser_id: (n % ADVERTISERS) + 1, name: `c${n}`, ...FLIGHT })),
  );
  await knex('line_items').insert(
    numbers(LINE_ITEMS).map((n) => ({
      campaign_id: (n % CAMPAIGNS) + 1,
      name: `l${n}`,
      active: true,
      ...FLIGHT,
      ...(n % 20 === 0
        ? { type: 'programmatic', cpm_micros: null, bidder_id: ((n / 20) % BIDDERS) + 1 }
        : { type: 'direct', cpm_micros: (n % 50) * 1000, bidder_id: null }),
    })),
  );
  await knex('creatives').insert(
    numbers(LINE_ITEMS).map((n) => ({ placement_id: n % 2 ? 'top' : 'side', line_item_id: n, format: 'html', content: `ad ${n}` })),
  );
};

/** A replica that counts the blocks that its loads read. */
const loader = () => {
  const read: string[] = [];
  const store = createCatalogStore({ knex });
  const builder = createCatalogBuilder({ dimensions: new Map() });
  let opened: OpenedSnapshot | undefined;
  const load = async (): Promise<Snapshot> => {
    read.length = 0;
    const update = await store.readAll((reading) => {
      const rows = (table: CatalogTable, block: number) => {
        read.push(`${table} ${block}`);
        return reading.rows(table, block);
      };
      return builder.build({ ...reading, rows }, Date.UTC(2026, 5, 15));
    });
    opened = openSnapshot(update, opened);
    return opened.snapshot;
  };
  return { load, read };
};
const firstLoad = (): Promise<Snapshot> => loader().load();

const namesOf = new Map<object, readonly string[]>();
/** The fields of a view, which are not own properties. */
const fieldsOf = (view: object): unknown => {
  const prototype = Object.getPrototypeOf(view) as object;
  const names = namesOf.get(prototype) ?? Object.keys(Object.getOwnPropertyDescriptors(prototype)).filter((name) => name !== 'constructor');
  namesOf.set(prototype, names);
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === 'content' ? contentOf((view as Creative).content as MarkupContent) : (view as Record<string, unknown>)[name],
    ]),
  );
};
const contentOf = (content: MarkupContent): unknown => ({
  format: content.format,
  markup: composeMarkup({ content, clickUrl: null }, { width: 300, height: 250 }),
});
const bookingFields = ({ creative, lineItem, campaign }: Booking): unknown => [creative, lineItem, campaign].map(fieldsOf);

/** Everything that a decision can read. */
const seen = (snapshot: Snapshot) => ({
  publishers: [...snapshot.publishers.values()],
  placements: [...snapshot.placements.values()],
  bidders: [...snapshot.bidders.values()],
  campaigns: Array.from(snapshot.campaigns.values(), fieldsOf),
  lineItems: Array.from(snapshot.lineItems.values(), fieldsOf),
  creatives: Array.from(snapshot.creatives.values(), fieldsOf),
  quarantined: snapshot.quarantined,
  slots: numbers(PUBLISHERS).flatMap((publisher) =>
    ['top', 'side'].map((placement) => {
      const { direct, programmatic, leftOut, vacancy } = snapshot.slot(publisher, placement);
      return {
        candidates: Array.from(direct ?? [], (candidate) => {
          const { ecpmMicros, clickRate, counts } = candidate;
          return [ecpmMicros, clickRate, counts, bookingFields(candidate)];
        }),
        programmatic: Array.from(programmatic ?? [], bookingFields),
        ofGermany: [...positionsFor(direct, 'DE')],
        ofTheNetherlands: [...positionsFor(direct, 'NL')],
        tieEnd: direct && [...direct.tieEnd],
        voices: direct?.voices,
        weights: direct?.weights && [...direct.weights],
        shares: direct?.shares && [...direct.shares],
        leftOut: Array.from(leftOut, bookingFields),
        vacancy,
      };
    }),
  ),
});

function* positionsFor(index: CandidateIndex | undefined, country: string): Generator<number> {
  const scanner = index?.targeting.eligible(targetingQuery(new Map(), { country }, {}, (kind) => (kind === 'schedule' ? ['p9'] : [])));
  for (let at = scanner?.firstFrom(0) ?? -1; at !== -1; at = scanner?.firstFrom(at + 1) ?? -1) yield at;
}

test('a reload reads only the changed blocks and builds only their slots', async () => {
  await book();
  const { load, read } = loader();
  const first = await load();
  expect(read).toHaveLength(1 + 1 + 1 + 1 + 1 + 1 + 2 + 2);
  const again = await load();
  expect(read).toEqual([]);
  expect(again.slot(1, 'top').direct?.targeting).toBe(first.slot(1, 'top').direct?.targeting);

  await knex('line_items').where('id', 281).update({ cpm_micros: 77_000 });
  const after = await load();
  expect(read).toEqual(['line_items 1']);
  const publisherOf281 = after.lineItems.get(281)?.publisherId ?? 0;
  expect(after.slot(publisherOf281, 'top').direct?.at(0).lineItem).toMatchObject({ id: 281, cpmMicros: 77_000 });
  const [edited, neighbour] = [281, 282].map((id) => [first, after].map((snapshot) => snapshot.lineItems.get(id)!.edition));
  expect(new Set(edited).size).toBe(2);
  expect(new Set(neighbour).size).toBe(1);
  const others = numbers(PUBLISHERS).filter((publisher) => publisher !== publisherOf281);
  for (const other of others) expect(after.slot(other, 'side').direct?.targeting).toBe(first.slot(other, 'side').direct?.targeting);
  expect(seen(after)).toEqual(seen(await firstLoad()));
});

test('after any edit a reload equals a first load', async () => {
  await book();
  const chance = createChance(20_261_121);
  const whole = (below: number): number => Math.floor(chance() * below);
  const anyItem = () => 1 + whole(LINE_ITEMS);
  const edits: Record<string, () => Promise<unknown>> = {
    'a price': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ cpm_micros: whole(90_000) }),
    'a switch': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ active: knex.raw('not active') }),
    'a rate that is not a number': () => knex('line_items').where('id', anyItem()).update({ rate_limit: 'NaN' }),
    'a rate that is one again': () => knex('line_items').where({ rate_limit: 'NaN' }).update({ rate_limit: null }),
    targeting: () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ targeting: JSON.stringify({ countries: ['NL'] }) }),
    goals: () =>
      knex('line_items')
        .where('id', anyItem())
        .update({
          pacing: 'Even',
          goal_impressions: chance() < 0.3 ? null : 1 + whole(9_000),
          goal_clicks: chance() < 0.3 ? null : 1 + whole(90),
          frontload: whole(31),
        }),
    'a rotation': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ rotation: ROTATIONS[whole(ROTATIONS.length)] }),
    'what was delivered': () =>
      knex.raw(
        `insert into daily_counts (day, line_item_id, creative_id, campaign_id, publisher_id, serves, impressions, clicks, spend_micros)
         select (now() at time zone 'utc')::date, l.id, c.id, l.campaign_id, 1, 100, 90, ?, 0 from line_items l join creatives c on c.line_item_id = l.id
         where l.goal_clicks is not null or l.rotation = 'optimised'
         on conflict (day, line_item_id, creative_id, campaign_id, publisher_id, advertiser_id) do update set clicks = excluded.clicks`,
        [whole(9)],
      ),
    'a campaign of another publisher': () =>
      knex('campaigns')
        .where('id', 1 + whole(CAMPAIGNS))
        .update({ publisher_id: 1 + whole(PUBLISHERS) }),
    'a campaign without end': () =>
      knex('campaigns')
        .where('id', 1 + whole(CAMPAIGNS))
        .update({ end_at: 'infinity' }),
    'a campaign with an end again': () => knex('campaigns').where({ end_at: 'infinity' }).update({ end_at: FLIGHT.end_at }),
    'a line item of another campaign': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ campaign_id: 1 + whole(CAMPAIGNS) }),
    markup: () =>
      knex('creatives')
        .where('line_item_id', anyItem())
        .update({ content: `ad ${chance()}` }),
    'what a publisher blocks': () =>
      knex('publishers')
        .where('id', 1 + whole(PUBLISHERS))
        .update({ badv: JSON.stringify([`a${whole(90)}.example`]), cattax: 7 }),
    'advertisers that a publisher or a placement blocks': async () => {
      const blocked = { blocked_advertiser_ids: [1 + whole(ADVERTISERS)], blocked_advertiser_labels: chance() < 0.5 ? [] : ['cars'] };
      await knex('publishers')
        .where('id', 1 + whole(PUBLISHERS))
        .update(blocked);
      await knex('placements').where('id', 'side').update(blocked);
    },
    'the labels of an advertiser': () =>
      knex('advertisers')
        .where('id', 1 + whole(ADVERTISERS))
        .update({ labels: ['cars'], exclusion_labels: [`label ${whole(3)}`], exclusive: chance() < 0.5 }),
    'a targeting that line items share': () =>
      knex('targetings')
        .where('id', 1 + whole(TARGETINGS))
        .update({ targeting: JSON.stringify({ countries: [chance() < 0.5 ? 'DE' : 'FR'], exclude: { languages: ['en'] } }) }),
    'a line item that names a targeting': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ targeting_id: chance() < 0.3 ? null : 1 + whole(TARGETINGS) }),
    'the hours of a line item': () =>
      knex('line_items')
        .where('id', anyItem())
        .update({ schedule: JSON.stringify(chance() < 0.3 ? [] : [{ days: ['mon'], from: '08:00', to: `1${whole(9)}:30` }]) }),
    'a share of voice': () =>
      knex('line_items')
        .where('id', anyItem())
        .update(chance() < 0.3 ? { share_of_voice: null } : { share_of_voice: 1 + whole(90), priority: 1 }),
    'the endpoint of a bidder': () =>
      knex('bidders')
        .where('id', 1 + whole(BIDDERS))
        .update({ endpoint: `https://b${whole(90)}.example/bid` }),
    'a blocked creative': () => knex('creatives').where('line_item_id', anyItem()).update({ blocked_at: new Date() }),
    'a creative that is rejected': () => knex('creatives').where('line_item_id', anyItem()).update({ status: 'rejected' }),
    'the weight of a creative': () =>
      knex('creatives')
        .where('line_item_id', anyItem())
        .update({ weight: 1 + whole(9) }),
    'a domain of its own': () => knex('creatives').where('line_item_id', anyItem()).update({ advertiser_domain: 'own.example' }),
    'the domain of an advertiser': () =>
      knex('advertisers')
        .where('id', 1 + whole(ADVERTISERS))
        .update({ domain: chance() < 0.3 ? null : `a${whole(90)}.example` }),
    'a campaign of another advertiser': () =>
      knex('campaigns')
        .where('id', 1 + whole(CAMPAIGNS))
        .update({ advertiser_id: chance() < 0.3 ? null : 1 + whole(ADVERTISERS) }),
    'a paused campaign': () =>
      knex('campaigns')
        .where('id', 1 + whole(CAMPAIGNS))
        .update({ active: knex.raw('not active') }),
    'a creative elsewhere': () => knex('creatives').where('line_item_id', anyItem()).update({ placement_id: 'side' }),
    'a deleted line item': () => knex('line_items').where('id', anyItem()).delete(),
    'a new one': async () => {
      const [row] = await knex('line_items')
        .insert({ campaign_id: 1 + whole(CAMPAIGNS), name: 'new', active: true, ...FLIGHT, cpm_micros: 5000 })
        .returning<{ id: number }[]>('id');
      await knex('creatives').insert({ placement_id: 'top', line_item_id: row!.id, format: 'html', content: 'new' });
    },
    'formats of a placement': () =>
      knex('placements')
        .where('id', 'side')
        .update({ formats: [chance() < 0.5 ? 'html' : 'banner'] }),
  };
  for (const table of CATALOG_TABLES)
    edits[`an archived row of ${table}`] = () =>
      knex(table)
        .whereIn('id', knex(table).select('id').orderByRaw('md5(id::text || ?)', [chance()]).limit(1))
        .update({ archived: knex.raw('not archived') });
  const names = Object.keys(edits);
  const { load } = loader();
  await load();
  const done: string[] = [];
  for (let round = 0; round < names.length; round++) {
    for (let n = 0; n <= whole(3); n++) {
      const name = n === 0 ? names[round]! : names[whole(names.length)]!;
      done.push(name);
      await edits[name]!();
    }
    expect({ done, ...seen(await load()) }).toEqual({ done, ...seen(await firstLoad()) });
  }
  expect(new Set(done)).toEqual(new Set(names));
});
