import { readDays } from '../../src/api/days-query.ts';
import { idsQuery } from '../../src/api/parameters.ts';

/** 2026-10-14. */
const TODAY = 20_740;
const WEEK = { defaultDays: 7, maxDays: 30 };

test.each([
  ['the last week', {}, '2026-10-08', '2026-10-14'],
  ['the week up to a day', { to: '2026-03-01' }, '2026-02-23', '2026-03-01'],
  ['all since a day', { from: '2026-09-14' }, '2026-09-14', '2026-10-14'],
  ['one day', { from: '2026-02-28', to: '2026-02-28' }, '2026-02-28', '2026-02-28'],
])('a query asks for %s', (_, asked, from, to) => {
  expect(readDays({ from: undefined, to: undefined, ...asked }, TODAY, WEEK)).toEqual({ ok: true, days: { from, to } });
});

test.each([
  { from: '2026-10-15', to: undefined },
  { from: '2026-09-13', to: '2026-10-14' },
])('days that begin after their end, or more than 30 before it, are refused: %j', (asked) => {
  expect(readDays(asked, TODAY, WEEK)).toMatchObject({
    ok: false,
    refused: { problem: { status: 400, detail: 'from must not be after to, nor more than 30 days before it.' } },
  });
});

test('a list of ids has each once, and one that cannot be an id is refused', () => {
  const { read } = idsQuery('Ids');
  expect(read(['5, 7,,5,2147483647'])).toEqual({ ok: true, value: [5, 7, 2_147_483_647] });
  expect(read([])).toEqual({ ok: true, value: [] });
  for (const wrong of ['a', '1,0', '2147483648', '1;2'])
    expect(read([wrong])).toEqual({ ok: false, faults: [{ pointer: '', detail: 'must be ids separated by commas' }] });
});
