import { importSheet } from '../../src/imports/sheet/import-sheet.ts';
import { readSheet, type Rows } from '../../src/imports/sheet/read-sheet.ts';
import { sheetTemplate } from '../../src/imports/sheet/sheet-columns.ts';

const read = (text: string | Buffer, name = 'sheet.csv'): Promise<Rows> => readSheet(name, Buffer.from(text));
const imported = async (text: string) =>
  importSheet({ name: 'sheet.csv', rows: await read(text), head: { publisher: { key: 'gazette', name: 'Gazette' } }, prefix: 'sheet' });
const HEAD = 'Campaign,Line item,Start,End,Price';

test('the template is a booking, and columns are found by other names, in the German form too', async () => {
  const { bookings, notes } = await imported(sheetTemplate());
  expect(bookings).toMatchObject({
    publisher: { key: 'gazette', name: 'Gazette' },
    advertisers: [{ key: 'sheet:boots-of-the-north', name: 'Boots of the North' }],
    campaigns: [
      {
        ...{ key: 'sheet:spring-sale', advertiser: 'sheet:boots-of-the-north', start_date: '2026-03-01', end_date: '2026-03-31' },
        line_items: [
          {
            ...{
              key: 'sheet:spring-sale:sport-readers',
              cpm: 4.5,
              goal_impressions: 120_000,
              active: true,
              targeting: { countries: ['DE', 'AT'] },
            },
            creatives: [{ placements: ['article-top'], format: 'banner', content: '{"image":"https://cdn.example/boots.png"}' }],
          },
        ],
      },
    ],
  });
  expect(notes).toEqual([]);
  const german = await imported('\uFEFFKampagne;BUCHUNG;Beginn;Ende;Preis;Farbe\nWinter;Ski;1.12.2026;31.12.2026;"1.234,50";rot\n');
  expect(german.bookings.campaigns).toMatchObject([
    { line_items: [{ start_date: '2026-12-01', end_date: '2026-12-31', cpm: 1234.5, active: false }] },
  ]);
  expect(german.notes).toMatchObject([{ level: 'left_out', kind: 'column', id: 'F1', name: 'Farbe' }]);
});

test('every fault is at its cell, and nothing of the sheet is used', async () => {
  const rows = [
    'A,B,2026-02-30,2026-03-01,4.5',
    'A,C,01/02/2026,2026-03-01,"1,234"',
    ',D,2026-03-01,2026-03-02,1',
    'A,E,2026-03-01,2026-03-02,',
  ];
  await expect(imported([HEAD, ...rows].join('\n'))).rejects.toThrow(
    [
      'sheet.csv cannot be imported, and nothing was changed:',
      'C2: is no day of the calendar',
      'C3: must be a date such as 2026-12-31: other forms can be read in two ways',
      'E3: must be an amount such as 4.50; "1,234" cannot be read in one way',
      'A4: is empty: Campaign is required',
    ].join('\n'),
  );
});

test.each([
  ['a column that is missing', 'Campaign,Start,End,Price\n', 'row 1: has no column Line item'],
  ['a column twice', 'Campaign,Line item,Start,From,End\n', 'D1: names the same column as C1'],
  ['a name twice', `${HEAD}\nA,B,2026-03-01,2026-03-02,1\nA,B,2026-03-01,2026-03-02,1\n`, 'row 3: is the line item of row 2 again'],
  [
    'a name with two prices',
    `${HEAD},HTML,Placement\nA,B,2026-03-01,2026-03-02,1,x,p\nA,B,2026-03-01,2026-03-02,2,y,p\n`,
    'E3: price of line item B is another one in row 2',
  ],
  ['no price', `${HEAD}\nA,B,2026-03-01,2026-03-02,\n`, 'row 2: has no price'],
])('%s', async (_, text, words) => {
  await expect(imported(text)).rejects.toThrow(words);
});

test('half a file, another kind of file and one that is too large are refused in words', async () => {
  await expect(read('a,"b\n')).rejects.toThrow(/no CSV file that can be read, or half of one/);
  await expect(read(Buffer.from('PK\u0003\u0004 half'), 'half.xlsx')).rejects.toThrow(/no XLSX file that can be read, or half of one/);
  await expect(read(Buffer.from([0xe4, 0x2c, 0xf6]))).rejects.toThrow(/save it as "CSV UTF-8"/);
  await expect(readSheet('sheet.csv', Buffer.alloc(34 * 1024 * 1024))).rejects.toThrow(/at most 33\.6 MB are read: divide it/);
});
