import { availabilityCsv, availabilityGrid, shareSold } from '../../admin/forecast/availability-grid.ts';

const rows = (placement: string, available: number, sold: number) =>
  Array.from({ length: 17 }, (_, i) => ({
    ...{ day: `2026-12-${String(i + 1).padStart(2, '0')}`, placement, country: null, size: null, targeting_id: null },
    ...{ available, sold, free: available - sold },
  }));

test('days are gathered into weeks, the last with what is left; the placement with most sold comes first, below the sum', () => {
  const { periods, lines } = availabilityGrid([...rows('a', 100, 10), ...rows('b', 50, 40)], 'weeks', 'placement');
  expect(periods).toEqual([
    { from: '2026-12-01', to: '2026-12-07' },
    { from: '2026-12-08', to: '2026-12-17' },
  ]);
  expect(lines.map(({ key, cells }) => [key, ...cells.map(({ available, sold, free }) => [available, sold, free])])).toEqual([
    [undefined, [1_050, 350, 700], [1_500, 500, 1_000]],
    ['b', [350, 280, 70], [500, 400, 100]],
    ['a', [700, 70, 630], [1_000, 100, 900]],
  ]);
});

test('one placement has no sum above it, and a placement without traffic is not sold', () => {
  const { lines } = availabilityGrid(rows('a', 0, 0), 'days', 'placement');
  expect(lines).toHaveLength(1);
  expect(lines[0]!.cells).toHaveLength(17);
  expect(shareSold(lines[0]!.cells[0]!)).toBe(0);
});

test('lines of countries have a sum, with those that are not known, and lines of targetings, which overlap, have none', () => {
  const by = (of: object) => rows('', 100, 10).map((row) => ({ ...row, placement: null, ...of }));
  const countries = availabilityGrid([...by({ country: 'FI' }), ...by({ country: null })], 'weeks', 'country');
  expect(countries.lines.map(({ key, cells }) => [key, cells[0]!.available])).toEqual([
    [undefined, 1_400],
    ['', 700],
    ['FI', 700],
  ]);
  const targetings = availabilityGrid([...by({ targeting_id: 7 }), ...by({ targeting_id: 8 })], 'weeks', 'targeting');
  expect(targetings.lines.map(({ key }) => key)).toEqual(['7', '8']);
});

test('the file has a row for each cell, and no cell that a spreadsheet would run', () => {
  const grid = availabilityGrid(rows('=top, "left"', 4, 1).slice(0, 1), 'days', 'placement');
  expect(availabilityCsv(grid, (key) => key)).toBe(
    'placement,from,to,available,sold,free\r\n"\'=top, ""left""",2026-12-01,2026-12-01,4,1,3',
  );
});
