import { RESTORE_DAYS } from '../../src/catalog/model/choices.ts';
import { html, nothing, type TemplateResult } from 'lit-html';
import { showApiKey, showDebugLink } from '../parts/dialogs.ts';
import { button, card } from '../parts/parts.ts';
import { capital, describeCounts, NAMES, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { restoreRecord } from './restore-record.ts';
import type { CampaignWire, Kind, Problem, PublisherWire, Records } from '../api/wire.ts';
import { rich, t } from '../words/texts.ts';

/** Deletes a record after a question that names what goes with it. True: it was deleted. */
export const deleteEntity = async <K extends Kind>(page: Page, kind: K, record: Records[K]): Promise<boolean> => {
  const counted = await page.api.records.readWithCounts(kind, record.id);
  if (!counted.ok) {
    page.complain(counted.problem);
    return false;
  }
  const { counts = {} } = counted.value;
  const withIt = describeCounts(counts);
  const title = titleOf(kind, record);
  const sure = await page.confirm({
    title: t`Delete ${NAMES[kind].one} “${title}”?`,
    text: withIt
      ? html`${rich`This also deletes its ${html`<strong>${withIt}</strong>`}. Reports keep what was delivered. All of it can be restored from History. After ${RESTORE_DAYS} days it cannot.`}`
      : t`Nothing else is deleted with it. It can be restored from History. After ${RESTORE_DAYS} days it cannot.`,
    yes: withIt
      ? t`Delete all ${Object.values(counts as Readonly<Record<string, number>>).reduce((sum, count) => sum + count, 1)}`
      : t`Delete`,
    dangerous: true,
  });
  if (!sure) return false;
  const answer = await page.api.records.remove(kind, record.id);
  if (!answer.ok) {
    page.complain(answer.problem);
    return false;
  }
  page.toast(t`${capital(NAMES[kind].one)} “${title}” was deleted${withIt ? t`, with ${withIt}` : ''}.`, {
    action: { label: t`Undo`, run: () => void restoreRecord(page, kind, record.id) },
  });
  await page.store.refresh();
  page.redraw();
  return true;
};

/** Changes fields of a record, with a way back. True: it was done. */
export const patchRecord = async <K extends Kind>(
  page: Page,
  kind: K,
  id: string | number,
  patch: Readonly<Record<string, unknown>>,
  done: string,
): Promise<boolean> => {
  const before = await page.api.records.fields(kind, id);
  const answer = before.ok ? await page.api.records.update(kind, id, patch, before.etag) : before;
  if (!before.ok || !answer.ok) {
    if (!answer.ok) page.complain(answer.problem);
    return false;
  }
  const back = Object.fromEntries(Object.keys(patch).map((field) => [field, before.value[field] ?? null]));
  await page.store.refresh(kind);
  page.toast(done, { action: { label: t`Undo`, run: () => void patchRecord(page, kind, id, back, t`It is as before.`) } });
  page.redraw();
  return true;
};

/** Pauses what is active, or resumes what is paused. */
export const toggleActive = <K extends 'campaigns' | 'line_items'>(page: Page, kind: K, record: Records[K]): Promise<boolean> =>
  patchRecord(
    page,
    kind,
    record.id,
    { active: !record.active },
    `“${titleOf(kind, record)}” ${record.active ? t`is paused` : t`is active again`}.`,
  );

/** Archives or restores a record. True: it was done. */
export const setArchived = async <K extends Kind>(page: Page, kind: K, record: Records[K], archived: boolean): Promise<boolean> => {
  const answer = await page.api.records.update(kind, record.id, { archived });
  if (!answer.ok) {
    page.complain(answer.problem);
    return false;
  }
  await page.store.refresh();
  page.toast(
    `${capital(NAMES[kind].one)} “${titleOf(kind, record)}” ${archived ? t`is archived: neither served nor listed` : t`is listed again`}.`,
    {
      action: { label: t`Undo`, run: () => void setArchived(page, kind, answer.value, !archived) },
    },
  );
  page.redraw();
  return true;
};

/** Copies a campaign with its line items and creatives, and opens the copy, which is paused. */
export const duplicateCampaign = async (page: Page, campaign: CampaignWire): Promise<void> => {
  const answer = await page.api.records.act('campaigns', campaign.id, 'duplicate');
  if (!answer.ok) return page.complain(withFirstFault(answer.problem));
  const { id, name } = answer.value;
  await page.store.refresh('campaigns', 'line_items', 'creatives');
  const undo = async (): Promise<void> => {
    const gone = await page.api.records.remove('campaigns', id, answer.etag);
    if (!gone.ok) return page.complain(gone.problem);
    await page.store.refresh('campaigns', 'line_items', 'creatives');
    page.go(hashOf(['campaigns', campaign.id]));
  };
  page.toast(t`“${name}” has the same line items, creatives and dates. It is paused.`, {
    action: { label: t`Undo`, run: () => void undo() },
  });
  page.go(hashOf(['campaigns', id]));
};

/** With what is wrong in the detail: the action has no form that would show it. */
export const withFirstFault = (problem: Problem): Problem => ({ ...problem, detail: problem.errors[0]?.detail ?? problem.detail });

export const duplicateHash = (kind: Kind, id: string | number): string => hashOf([kind, 'new'], { copy: id });

export const rotateKey = async (page: Page, publisher: PublisherWire): Promise<void> => {
  const sure = await page.confirm({
    title: t`Replace the API key of “${publisher.name}”?`,
    text: t`The old key stops working immediately: pages get no ads until they send the new one.`,
    yes: t`Replace the key`,
    dangerous: true,
  });
  if (!sure) return;
  const answer = await page.api.records.act('publishers', publisher.id, 'rotate_key');
  if (!answer.ok) return page.complain(answer.problem);
  if (answer.value.api_key) await showApiKey(publisher.name, answer.value.api_key);
  await page.store.refresh('publishers');
  page.redraw();
};

export const setBlocked = async (page: Page, creativeId: number, blocked: boolean): Promise<void> => {
  const answer = await page.api.records.act('creatives', creativeId, blocked ? 'block' : 'unblock');
  if (!answer.ok) return page.complain(answer.problem);
  page.toast(t`Creative ${creativeId} ${blocked ? t`is blocked and no longer served` : t`can be served again`}.`);
  await page.store.refresh('creatives');
  page.redraw();
};

/** Whether the person may approve and reject creatives: as an approver, or as who books them where the publisher requires no approval. */
export const mayJudge = ({ rights }: Page): boolean =>
  rights.may('POST', '/creatives/{id}/approve') || rights.may('PATCH', '/creatives/{id}');

/** Approves or rejects a creative. */
export const setStatus = async (page: Page, creativeId: number, status: 'approved' | 'rejected'): Promise<void> => {
  const { records } = page.api;
  const answer = page.rights.may('POST', '/creatives/{id}/approve')
    ? await records.act('creatives', creativeId, status === 'approved' ? 'approve' : 'reject')
    : await records.update('creatives', creativeId, { status });
  if (!answer.ok) return page.complain(answer.problem);
  page.toast(t`Creative ${creativeId} is ${status}.`);
  await page.store.refresh('creatives');
  page.redraw();
};

/** Creates a link that shows the debug overlay on the publisher's pages, with whole traces, and shows it. */
export const createDebugLink = async (page: Page, publisher: PublisherWire): Promise<void> => {
  const answer = await page.api.send('POST', '/debug_grants', { body: { publisher_id: publisher.id } });
  if (!answer.ok) return page.complain(answer.problem);
  const { token, url, expires } = answer.value;
  const site = publisher.origins.find((origin) => !origin.includes('*')) ?? `https://${publisher.domain}`;
  // In the fragment, which browsers send neither to the site nor as a referrer.
  const link = { page: `${site}/#adsdk_debug=${token}`, request: new URL(url, location.href).href };
  await showDebugLink(publisher.name, link, moment(expires));
};

/** Offers a debug link; `publisher` undefined: nothing. */
export const debugLinkCard = (page: Page, publisher: PublisherWire | undefined): TemplateResult | typeof nothing =>
  publisher && page.rights.may('POST', '/debug_grants')
    ? card(
        t`On the real page`,
        html`<p>
            ${rich`A page of ${publisher.name} explains its ads when ${html`<code>?adsdk_debug</code>`} is added to its address. In production that leaves out prices and priorities; a debug link shows them for an hour.`}
          </p>
          ${button(t`Create a debug link`, () => createDebugLink(page, publisher), 'secondary')}`,
      )
    : nothing;
