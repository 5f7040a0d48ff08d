import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import { parseDimensionSchema } from '../../src/targeting/dimension-schema.ts';

const parsed = parseDimensionSchema({ properties: {} });
if (!parsed.ok) throw new Error('the schema of this test is not valid');
const { schema: dimensions } = parsed;

const FLIGHT = { start_date: '2026-12-01', end_date: '2026-12-31' };
const check = (fields: object, on = {}) =>
  CHECKS.line_items({ campaign_id: 1, name: 'Boots', active: true, ...FLIGHT, ...fields }, { dimensions, ...on });
const recordOf = (fields: object) => {
  const checked = check(fields);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.record;
};
const faultsOf = (fields: object) => {
  const checked = check(fields);
  return checked.ok ? [] : checked.faults.map(({ pointer, detail }) => `${pointer} ${detail}`);
};

test.each([
  [
    { class: 'sponsorship', cpm: 12 },
    { priority: 1, share_of_voice: 100, pacing: 'ASAP', budget_type: 'CPM' },
  ],
  [
    { class: 'Standard', cpm: 5, goal_impressions: 9000 },
    { class: 'standard', priority: 1, share_of_voice: null, pacing: 'Even' },
  ],
  [
    { class: 'network', cpm: 1 },
    { priority: 2, pacing: 'ASAP' },
  ],
  [
    { class: 'bulk', cpm: 1, goal_clicks: 90 },
    { priority: 2, pacing: 'Even' },
  ],
  [
    { class: 'price', type: 'programmatic', endpoint: 'https://b.example/bid' },
    { priority: 2, pacing: 'ASAP' },
  ],
  [{ class: 'house' }, { priority: 3, budget_type: 'Flat', cpm: null, budget: null }],
])('%j has the settings of its class', (fields, expected) => {
  expect(recordOf(fields)).toMatchObject(expected);
});

test('a value that the class allows is kept, and null is the default of the class', () => {
  expect(recordOf({ class: 'standard', cpm: 5, goal_impressions: 9000, priority: 2, pacing: 'PID' })).toMatchObject({
    priority: 2,
    pacing: 'PID',
  });
  expect(recordOf({ class: 'bulk', cpm: 5, goal_impressions: 9000, priority: null })).toMatchObject({ priority: 2 });
  expect(recordOf({ class: null, cpm: 5, priority: null })).toMatchObject({ class: null, priority: null, pacing: 'ASAP' });
});

test.each([
  [{ class: 'sponsorship', cpm: 12, goal_impressions: 5 }, '/goal_impressions must have no value with class sponsorship: '],
  [
    { class: 'sponsorship', cpm: 12, type: 'programmatic', endpoint: 'https://b.example/bid' },
    '/type must be direct with class sponsorship: ',
  ],
  [{ class: 'standard', cpm: 5 }, '/goal_impressions or goal_clicks is required with class standard: '],
  [{ class: 'standard', cpm: 5, goal_clicks: 9, pacing: 'ASAP' }, '/pacing must be Even or PID with class standard: '],
  [{ class: 'network', cpm: 5, goal_clicks: 9 }, '/goal_clicks must have no value with class network: '],
  [{ class: 'bulk', cpm: 5 }, '/goal_impressions or goal_clicks is required with class bulk: '],
  [{ class: 'price', budget_type: 'Flat', budget: 5 }, '/budget_type must be CPM or VCPM or CPC or CPCV with class price: '],
  [
    { class: 'house', priority: 1 },
    '/priority must be 3 with class house: a house ad has no price and comes last. Change it, or choose another class',
  ],
  [{ class: 'house', budget: 100 }, '/budget must have no value with class house: '],
  [{ class: 'remnant', cpm: 1 }, '/class must be one of '],
])('%j is refused', (fields, expected) => {
  expect(faultsOf(fields)).toContainEqual(expect.stringContaining(expected));
});

test('what was stored goes on serving when its class is narrowed later', () => {
  expect(check({ class: 'house', priority: 1, cpm: 2 }, { isLoad: true }).ok).toBe(true);
});
