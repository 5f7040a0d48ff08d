import { availabilityCsv, availabilityGrid, shareSold } from '../../admin/forecast/availability-grid.ts';

const rows = (placement: string, available: number, sold: number) =>
  Array.from({ length: 17 }, (_, i) => ({
    ...{ day: `2026-12-${String(i + 1).padStart(2, '0')}`, placement, available, sold },
    free: available - sold,
  }));

test('days are gathered into weeks, the last with what is left; the placement with most sold comes first, below the sum', () => {
  const { periods, lines } = availabilityGrid([...rows('a', 100, 10), ...rows('b', 50, 40)], 'weeks', () => true);
  expect(periods).toEqual([
    { from: '2026-12-01', to: '2026-12-07' },
    { from: '2026-12-08', to: '2026-12-17' },
  ]);
  expect(lines.map(({ placement, cells }) => [placement, ...cells.map(({ available, sold, free }) => [available, sold, free])])).toEqual([
    [undefined, [1_050, 350, 700], [1_500, 500, 1_000]],
    ['b', [350, 280, 70], [500, 400, 100]],
    ['a', [700, 70, 630], [1_000, 100, 900]],
  ]);
});

test('one placement has no sum above it, and a placement without traffic is not sold', () => {
  const { lines } = availabilityGrid([...rows('a', 0, 0), ...rows('b', 5, 1)], 'days', (placement) => placement === 'a');
  expect(lines).toHaveLength(1);
  expect(lines[0]!.cells).toHaveLength(17);
  expect(shareSold(lines[0]!.cells[0]!)).toBe(0);
});

test('the file has a row for each cell, and no cell that a spreadsheet would run', () => {
  const grid = availabilityGrid(rows('=top, "left"', 4, 1).slice(0, 1), 'days', () => true);
  expect(availabilityCsv(grid)).toBe('placement,from,to,available,sold,free\r\n"\'=top, ""left""",2026-12-01,2026-12-01,4,1,3');
});
