import { html } from 'lit-html';
import type { Page } from '../page.ts';
import { showSharedLink } from '../parts/dialogs.ts';
import { date } from '../words/dates.ts';
import { LINK_DAYS } from '../words/link-days.ts';
import { t } from '../words/texts.ts';

/** Makes a link by which the advertiser looks at a creative, or at all of a campaign, and shows it once. */
export const shareProof = async (page: Page, of: { readonly campaign_id: number } | { readonly creative_id: number }): Promise<void> => {
  const choices = LINK_DAYS.map(([value, words]) => ({ value, shown: html`${words}` }));
  const days = await page.choose(t`How long may the advertiser look and answer?`, choices);
  if (days === '') return;
  const answer = await page.api.send('POST', '/proof_links', { body: { ...of, days: Number(days) } });
  if (!answer.ok) return page.complain(answer.problem);
  await showSharedLink(new URL(answer.value.url, location.href).href, {
    text: t`Everyone who has it sees the ads, comments and approves them, until ${date(answer.value.expires_at.slice(0, 10))}.`,
    open: t`Open the proof`,
  });
};
