import { dateOfDay, dayOf } from '../../../src/base/utc-day.ts';
import type { LineItemWire } from '../../api/wire.ts';
import type { Page } from '../../page.ts';
import { readReport } from '../../reports/read-report.ts';
import { hashOf } from '../../route.ts';

/** The flight that a course is compared with: the one before it, of the same advertiser at the same publisher. */
export interface FlightBefore {
  readonly hash: string;
  readonly name: string;
  /** Its first day. */
  readonly from: string;
  /** Impressions up to the end of each of its days. */
  readonly sums: readonly number[];
}

/** Of these the one before is looked for. */
const MAX_OTHERS = 50;
const MAX_DAYS = 366;

type Flown = Pick<LineItemWire, 'id' | 'name' | 'start_date' | 'end_date'>;

/** The newest that began earlier; a line item rather with one of the same name. undefined: there is none, or it cannot be read. */
export const readFlightBefore = async (page: Page, of: 'line_item' | 'campaign', id: number): Promise<FlightBefore | undefined> => {
  const kind = `${of}s` as const;
  const { api, store } = page;
  const here: Flown | undefined = store.find(kind, id);
  const item = of === 'line_item' ? store.find('line_items', id) : undefined;
  if (item) await store.ensure('campaigns', item.campaign_id);
  const campaign = store.find('campaigns', item?.campaign_id ?? id);
  if (!here || campaign?.advertiser_id == null) return undefined;
  const { advertiser_id, publisher_id } = campaign;
  const query = new URLSearchParams({ sort: '-start_date', limit: String(MAX_OTHERS) });
  for (const [name, value] of Object.entries({ advertiser_id, publisher_id })) query.set(name, String(value));
  const others = await api.records.list(kind, query.toString());
  if (!others.ok) return undefined;
  const earlier = (others.value as readonly Flown[]).filter((one) => one.id !== id && one.start_date < here.start_date);
  const before = earlier.find(({ name }) => name === here.name) ?? earlier[0];
  return before && readSums(page, of, before);
};

const readSums = async (
  page: Page,
  of: 'line_item' | 'campaign',
  { id, start_date: start, end_date: end, ...record }: Flown,
): Promise<FlightBefore | undefined> => {
  const first = dayOf(Date.parse(start.slice(0, 10)));
  const last = Math.min(dayOf(Date.parse(end.slice(0, 10))), first + MAX_DAYS - 1, dayOf(Date.now()));
  const days = { from: dateOfDay(first), to: dateOfDay(last) };
  const asked = { ...days, group_by: ['day' as const], metrics: ['impressions' as const], [`filter[${of}]`]: id };
  const report = await readReport(page, asked, () => true, MAX_DAYS);
  if (!report?.ok) return undefined;
  const byDay = new Map(report.value.rows.map((row) => [dayOf(Date.parse(String(row['day']))), Number(row['impressions'] ?? 0)]));
  let sum = 0;
  const sums = Array.from({ length: last - first + 1 }, (_, i) => (sum += byDay.get(first + i) ?? 0));
  return sum === 0 ? undefined : { hash: hashOf([`${of}s`, id]), name: record.name || `#${id}`, from: days.from, sums };
};
