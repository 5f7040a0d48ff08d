import { nothing, type TemplateResult } from 'lit-html';
import { isObject } from '../../src/base/narrow.ts';
import type { AuditRow } from '../../src/bookings/audit-api.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import type { Kind } from '../api/wire.ts';
import { capital, NAMES } from '../words/kinds.ts';
import { patchRecord } from './actions.ts';
import { labelOf } from './forms/entity-fields.ts';
import { restoreRecord } from './restore-record.ts';
import { t } from '../words/texts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that a change changed. */
export const changedFields = ({ before, after }: Pick<AuditRow, 'before' | 'after'>): readonly string[] =>
  before && after ? Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])) : [];

/**
 * The way back from a change: its fields as they were, or a record that was deleted, with all that went
 * with it. Nothing for other changes.
 */
export const undoButton = (
  page: Page,
  kind: Kind | undefined,
  change: AuditRow,
  reload: () => Promise<void>,
): TemplateResult | typeof nothing => {
  if (!kind || !change.before) return nothing;
  const { entity_id } = change;
  if (change.action === 'update' && page.rights.may('PATCH', `/${kind}/{id}`))
    return button(t`Undo`, () => undo(page, kind, change).then(reload), 'quiet', t`Undo the change of ${entity_id}`);
  return change.restorable && page.rights.may('POST', `/${kind}/{id}/restore`)
    ? button(t`Restore`, () => restoreRecord(page, kind, entity_id).then(reload), 'quiet', t`Restore ${entity_id}`)
    : nothing;
};

/** The merge patch that brings back a value: of an object, what it did not have is null. */
const patchTo = (before: unknown, after: unknown): unknown => {
  if (!isObject(before)) return before ?? null;
  const [was, is] = [before, isObject(after) ? after : {}];
  return Object.fromEntries([...new Set([...Object.keys(was), ...Object.keys(is)])].map((name) => [name, patchTo(was[name], is[name])]));
};

const undo = async (page: Page, kind: Kind, change: AuditRow): Promise<void> => {
  const [before, after] = [change.before as Fields, change.after as Fields];
  const fields = changedFields(change);
  const current = await page.api.records.fields(kind, change.entity_id);
  if (!current.ok) return page.complain(current.problem);
  const later = fields.filter((name) => JSON.stringify(current.value[name]) !== JSON.stringify(after[name]));
  const words = later.map((name) => labelOf(kind, name)).join(', ');
  if (
    later.length > 0 &&
    !(await page.confirm({
      title: t`Undo a change that others followed?`,
      text: t`Since then ${words} was changed again.`,
      yes: t`Undo it anyway`,
    }))
  )
    return;
  const patch = Object.fromEntries(fields.map((name) => [name, patchTo(before[name], after[name])]));
  await patchRecord(page, kind, change.entity_id, patch, t`${capital(NAMES[kind].one)} ${change.entity_id} is as before.`);
};
