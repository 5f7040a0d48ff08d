import { shootSchemes } from './setup/shoot.ts';
import { looksWrong } from './setup/faults-of-page.ts';
import { useAdmin } from './setup/use-admin.ts';

const desk = useAdmin(async ({ api }) => {
  const publisher = await api('POST', '/publishers', { name: 'Gazette', domain: 'gazette.example' });
  const place = { publisher_id: publisher['id'], width: 300, height: 250, formats: ['html', 'banner'] };
  await api('POST', '/placements', { ...place, id: 'article-top' });
});

const HEAD = 'Campaign,Line item,Start,End,Price,Placement,HTML,Active,Colour';
const ROW = 'Spring,Sport,2027-03-01,2027-03-31,4.50,article-top,<b>Boots</b>,yes,red';

const look = async (name: string): Promise<void> => {
  await shootSchemes(desk.admin.page, name);
  expect(await looksWrong(desk.admin.page)).toEqual([]);
};

test('a spreadsheet is dropped, its faults are at their cells, and corrected it is looked at and booked', async () => {
  const { page, go, turn } = desk.admin;
  await go('#/imports');
  await page.getByRole('button', { name: 'Import from Spreadsheet' }).waitFor();
  await look('imports-start');
  await page.getByRole('button', { name: 'Import from Spreadsheet' }).click();
  await page.getByRole('heading', { level: 1, name: 'Import from Spreadsheet' }).waitFor();
  const file = page.locator('input[type=file]');
  const csv = (name: string, text: string) => file.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await csv('faulty.csv', [HEAD, ROW.replace('2027-03-01', '2027-02-30')].join('\n'));
  const faults = page.getByRole('table', { name: 'What to correct in the file' });
  await faults.getByText('is no day of the calendar').waitFor();
  expect(await faults.getByRole('row').nth(1).innerText()).toMatch(/^C2\s/);
  await look('imports-faults');
  await csv('spring.csv', [HEAD, ROW].join('\n'));
  await page.getByRole('heading', { level: 1, name: 'spring.csv' }).waitFor();
  await page.getByText('3 new, 0 changed, 1 as they are booked already.').waitFor();
  await page.getByRole('table', { name: 'Left out' }).getByText('Column I1').waitFor();
  await look('imports-review');
  await page.getByRole('button', { name: 'Book it' }).click();
  await page.getByText('The import is booked.').waitFor();
  await page.getByRole('link', { name: 'Sport', exact: true }).waitFor();
  expect(await desk.api('GET', '/line_items')).toMatchObject([{ name: 'Sport', cpm: 4.5 }]);

  // The next file says what changes with the names of the form.
  await turn('#/imports/new/spreadsheet');
  await csv('dearer.csv', [HEAD, ROW.replace('4.50', '5.25').replace(',yes,', ',no,')].join('\n'));
  const changes = page.getByRole('table', { name: 'What changes' });
  await changes.waitFor();
  expect(await changes.getByRole('row').nth(1).innerText()).toMatch(/^Sport\s+changed\s+/);
  expect(await changes.locator('.change').allInnerTexts()).toEqual(['Active yes → no', 'Price per thousand (CPM) 4.50 → 5.25']);
  await look('imports-changes');
  await turn('#/imports');
  await page.getByRole('table', { name: 'Earlier imports' }).getByText('booked', { exact: true }).waitFor();
});
