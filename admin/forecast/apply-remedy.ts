import { parseEndDate } from '../../src/catalog/model/flight-dates.ts';
import type { LineItemWire } from '../api/wire.ts';
import { withFirstFault } from '../bookings/actions.ts';
import type { Page } from '../page.ts';
import { t } from '../words/texts.ts';
import type { Forecast } from './asked-forecast.ts';
import { remedyWords } from './forecast-words.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether the person may do what a forecast proposes. */
export const mayApply = ({ rights }: Page, item: LineItemWire): boolean =>
  rights.may('POST', '/bookings') && rights.mayChange('line_items', item);

/**
 * Changes a line item as a forecast proposes, and its campaign where it ends before. Resolves to the way back; undefined: it was not done.
 * @param then after it, and after it was undone
 */
export const applyRemedy = async (
  page: Page,
  item: LineItemWire,
  remedy: Forecast['remedies'][number],
  then: () => void,
): Promise<(() => Promise<void>) | undefined> => {
  await page.store.ensure('campaigns', item.campaign_id);
  const campaign = page.store.find('campaigns', item.campaign_id);
  const end = remedy.fields['end_date'];
  const isLonger = typeof end === 'string' && campaign !== undefined && (parseEndDate(end) ?? 0) > (parseEndDate(campaign.end_date) ?? 0);
  const before = await page.api.records.fields('line_items', item.id);
  if (!before.ok) {
    page.complain(before.problem);
    return undefined;
  }
  const back = Object.fromEntries(Object.keys(remedy.fields).map((name) => [name, before.value[name] ?? null]));
  const book = async (fields: Fields, ofCampaign: Fields): Promise<boolean> => {
    const body = { campaign: { id: item.campaign_id, fields: ofCampaign }, line_items: [{ id: item.id, fields, creatives: [] }] };
    const answer = await page.api.send('POST', '/bookings', { body });
    if (!answer.ok) {
      page.complain(withFirstFault(answer.problem));
      return false;
    }
    await page.store.refresh('line_items', 'campaigns');
    then();
    page.redraw();
    return true;
  };
  const undo = async (): Promise<void> => {
    if (await book(back, isLonger ? { end_date: campaign.end_date } : {})) page.toast(t`It is as before.`);
  };
  if (!(await book(remedy.fields, isLonger ? { end_date: end } : {}))) return undefined;
  page.toast(t`${remedyWords(remedy)}: done.`, { action: { label: t`Undo`, run: () => void undo() } });
  return undo;
};
