import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import { offeredRates, type Rate, type Wanted } from '../../src/catalog/model/rate-card.ts';

const CARD: readonly Rate[] = [
  { budget_type: 'CPM', price: 4 },
  { budget_type: 'CPM', price: 6, size: '970x250' },
  { budget_type: 'CPM', price: 8, placement: 'home-top' },
  { budget_type: 'CPM', price: 10, placement: 'home-top', days: ['sat', 'sun'] },
  { budget_type: 'Flat', price: 500, placement: 'home-top' },
];
const WANTED: Wanted = { budgetType: 'CPM', placements: [], days: [], flightDays: 14 };
const prices = (wanted: Partial<Wanted>): readonly number[] =>
  offeredRates(CARD, { ...WANTED, ...wanted }).map(({ listPrice }) => listPrice);
const HOME = { id: 'home-top', size: '300x250' };

test('the price that names the most of what is booked is offered first', () => {
  expect(prices({ placements: [HOME] })).toEqual([8, 4]);
  expect(prices({ placements: [{ id: 'article', size: '970x250' }] })).toEqual([6, 4]);
  expect(prices({ placements: [HOME], days: ['sun'] })).toEqual([10, 8, 4]);
  expect(prices({ placements: [HOME], days: ['fri', 'sun'] })).toEqual([8, 4]);
});

test('before placements are chosen, the prices of all of them are offered', () => {
  expect(prices({})).toEqual([8, 6, 4]);
});

test('a fee is for the days of the flight', () => {
  expect(prices({ budgetType: 'Flat' })).toEqual([7000]);
});

test('two prices for the same are refused, and so is a size that is none', () => {
  const checked = CHECKS.publishers({
    ...{ name: 'Gazette', domain: 'gazette.example' },
    rate_card: [
      ...CARD,
      { budget_type: 'CPM', price: 9, placement: 'home-top', size: null, days: [] },
      { budget_type: 'CPM', price: 1, size: 'big' },
    ],
  });
  expect(checked.ok ? [] : checked.faults.map(({ pointer }) => pointer)).toEqual(['/rate_card/6/size', '/rate_card/5']);
});
