import { CHECKS } from '../../src/catalog/checks/check-entities.ts';

const ITEM = { campaign_id: 1, name: 'Boots', active: true, start_date: '2026-12-01', end_date: '2026-12-31' };
const check = (fields: object) => CHECKS.line_items({ ...ITEM, ...fields }, { dimensions: new Map() });
const recordOf = (fields: object) => {
  const checked = check(fields);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.record;
};
const faultsOf = (fields: object) => {
  const checked = check(fields);
  return checked.ok ? [] : checked.faults;
};

test.each([
  [{ list_price: 10, discount: 20 }, { cpm: 8 }],
  [{ list_price: 9.99, discount: 33.3 }, { cpm: 6.663 }],
  [{ budget_type: 'CPC', list_price: 0.5, discount: 10 }, { cpc: 0.45 }],
  [
    { budget_type: 'Flat', list_price: 5000, discount: 50 },
    { budget: 2500, cpm: null },
  ],
  [{ list_price: 10, discount: 100 }, { cpm: 0 }],
  [
    { list_price: 10, cpm: 9 },
    { cpm: 9, discount: null },
  ],
  [{ list_price: 10, discount: 20, cpm: 8 }, { cpm: 8 }],
])('%j costs what is left of the list price', (fields, expected) => {
  expect(recordOf(fields)).toMatchObject(expected);
});

test('a price that differs from the list price less the discount is refused, and so is a discount off nothing', () => {
  expect(faultsOf({ list_price: 10, discount: 20, cpm: 7.5 })).toEqual([
    { pointer: '/cpm', detail: 'must be 8, 20% below the list price of 10: leave it out, or change the discount' },
  ]);
  expect(faultsOf({ cpm: 8, discount: 20 })).toEqual([
    { pointer: '/list_price', detail: 'is required with discount: the price before it' },
  ]);
  expect(faultsOf({ list_price: 10, discount: 101 })).toContainEqual(expect.objectContaining({ pointer: '/discount' }));
});

test('added value is Flat without a fee, and bills nothing', () => {
  expect(recordOf({ added_value: true })).toMatchObject({ budget_type: 'Flat', budget: null, cpm: null });
  expect(faultsOf({ added_value: true, budget_type: 'CPM', cpm: 1 })).toEqual([
    { pointer: '/budget_type', detail: 'must be Flat with added_value: its events bill nothing' },
  ]);
  expect(faultsOf({ added_value: true, budget: 100 })).toEqual([
    { pointer: '/budget', detail: 'must have no value with added_value: it has no price. Leave it out' },
  ]);
  expect(faultsOf({ added_value: true, type: 'programmatic', endpoint: 'https://b.example/', budget_type: 'CPM' })).toEqual([
    { pointer: '/added_value', detail: 'is for a direct line item: a bidder pays its bid' },
  ]);
});
