import { html, nothing, type TemplateResult } from 'lit-html';
import { showApiKey } from '../parts/dialogs.ts';
import { offerProposal } from '../approvals/offer-proposal.ts';
import { createWaitingNote } from '../approvals/waiting-note.ts';
import { createForm, type Draft, type Form, type SavedForm } from './forms/form.ts';
import { readAt } from './forms/pointer.ts';
import { draftOf, newRecord, recordOf, withChoice } from './forms/entity-draft.ts';
import { faultInWords, fieldsOf, PARENTS } from './forms/entity-fields.ts';
import { allowed, missingParent, nextStep } from './forms/next-step.ts';
import { renderForm } from './forms/render-form.ts';
import { withDates } from '../words/dates.ts';
import { aOne, capital, counted, linkTo, NAMES, titleOf } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { checkBox, crumbs, emptyState, pageHead, problemNote } from '../parts/parts.ts';
import { missingRecord } from './record-view.ts';
import { hashOf, type Route } from '../route.ts';
import { authorOf } from '../api/last-change.ts';
import type { Answer, CreativeWire, Kind, Problem, PublisherWire, Records } from '../api/wire.ts';
import { faultSummary } from './fault-summary.ts';
import { conflictNote, readConflict, type FoundConflict } from './conflict-note.ts';
import { saveBar } from '../parts/save-bar.ts';
import { createOthersHere } from './others-here.ts';
import { formAside } from './form-aside.ts';
import { recordActions } from './row-actions.ts';
import { createFlowCard } from '../delivery/flow-card.ts';
import { createUnfilledCard } from '../delivery/unfilled-card.ts';
import { createCreativeAside } from './creative-aside.ts';
import { t } from '../words/texts.ts';

/** The form of one record: a new one, a copy, or an existing one. */
export const openForm = async <K extends Kind>(page: Page, kind: K, route: Route): Promise<View> => {
  const { api, store } = page;
  const { one, many } = NAMES[kind];
  const [, id = 'new'] = route.parts;
  const isNew = id === 'new';
  const copyOf = isNew ? route.query.get('copy') : null;
  const stored = isNew && copyOf === null ? undefined : await api.records.read(kind, copyOf ?? id);
  if (stored && !stored.ok) {
    const { problem } = stored;
    const rest = (): TemplateResult => (problem.status === 404 ? missingRecord(kind) : problemNote(problem));
    return { title: capital(one), section: kind, render: () => html`${pageHead(capital(one), '')}${rest()}` };
  }

  const record = stored?.value;
  const creatives = `line_item_id=${copyOf ?? id}`;
  await Promise.all([
    store.count(),
    ...(record
      ? [store.ensure(kind, record.id)]
      : PARENTS[kind].map(({ field, parent }) => store.ensure(parent, ...route.query.getAll(field)))),
    ...(kind === 'line_items' && record ? [store.read('creatives', creatives)] : []),
    ...(kind === 'creatives' ? route.query.getAll('placement_id').map((placement) => store.ensure('placements', placement)) : []),
  ]);
  // What has only one choice is chosen in a new record.
  if (!record)
    await Promise.all(PARENTS[kind].map(({ parent }) => store.ensure(parent, ...store.first(parent).map(({ id: first }) => first))));
  const ofItem = (kind === 'line_items' && store.listing('creatives', creatives)?.rows) || [];
  const copiedCreatives = copyOf === null ? [] : ofItem;
  let withCreatives = true;
  /** An existing record is saved as a copy, because its parent cannot change. */
  let duplicating = false;

  const initial = draftOf(kind, isNew ? newRecord(kind, record ? copied(record) : Object.fromEntries(route.query), store) : (record ?? {}));
  /** What the draft is compared with when someone else has changed the record. */
  let base = { draft: initial, etag: stored?.etag };
  let conflict: FoundConflict | undefined;

  /** Changes of different fields are both kept; a field that both have changed is asked about. */
  const replace = async (draft: Draft, note: string | undefined, mayMerge = true): Promise<Answer<Records[K]>> => {
    const answer = await api.records.replace(kind, id, recordOf(kind, draft, store.dimensions()), base.etag, note);
    conflict = undefined;
    if (answer.ok || answer.problem.code !== 'precondition_failed') return answer;
    const found = await readConflict(page, kind, id, base.draft, draft);
    if (!found) return answer;
    base = { draft: found.base, etag: found.etag };
    if (found.fields.length === 0 && mayMerge) {
      page.toast(t`${authorOf(found.change)} changed ${found.taken.join(', ') || t`it`} meanwhile. Both changes are kept.`);
      return replace(found.merged, note, false);
    }
    for (const field of fieldsOf(kind)) form.write(field.pointer, readAt(found.merged, field.pointer));
    conflict = found;
    return answer;
  };

  const form: SavedForm = createForm<Records[K]>({
    page,
    draft: initial,
    written: (draft, pointer, value) => withChoice(kind, draft, pointer, value),
    inWords: (fault, draft) => faultInWords(kind, fault, draft, store.dimensions()),
    save: (draft, note): Promise<Answer<Records[K]>> => {
      if (!isNew && !duplicating) return replace(draft, note);
      const changed = recordOf(kind, draft, store.dimensions());
      return api.records.create(kind, duplicating ? copied(changed) : changed, note);
    },
    onSaved: async (saved) => {
      if (withCreatives) await copyCreatives(page, duplicating ? ofItem : copiedCreatives, saved.id as number);
      await store.refresh();
      const key = kind === 'publishers' && isNew ? (saved as PublisherWire).api_key : undefined;
      if (key) await showApiKey((saved as PublisherWire).name, key);
      const next = isNew && copyOf === null ? allowed(page, nextStep(kind, saved, store)) : undefined;
      page.toast(
        `${capital(one)} “${titleOf(kind, saved)}” ${isNew || duplicating ? t`was created` : t`was saved`}. ${next?.text ?? ''}`.trim(),
        {
          ...(next && { action: { label: next.label, run: () => page.go(next.hash) } }),
        },
      );
      // A new line item has no creative yet, which the next step says.
      if (!next || kind === 'creatives') await warnIfStuck(page, kind, saved);
      page.go(linkTo(kind, saved.id), { saved: true });
    },
  });

  const others = createOthersHere(page, kind, isNew ? undefined : Number(id));
  const waiting = isNew ? () => [] : createWaitingNote(page, kind, id);
  const first = besideForm(page, kind, form, isNew ? undefined : id);

  const propose = async (problem: Problem): Promise<void> => {
    if (await offerProposal(page, problem, form.note())) page.go(isNew ? hashOf([kind]) : linkTo(kind, id), { saved: true });
  };

  const duplicate = async (): Promise<void> => {
    duplicating = true;
    await form.submit();
    duplicating = false;
  };

  /** Of an existing record that the person may read only. */
  const isLocked = record !== undefined && !isNew && !page.rights.mayChange(kind, record);
  const title = isNew ? (copyOf === null ? t`New ${one}` : t`Copy of ${aOne(kind)}`) : titleOf(kind, record as Records[K]);
  return {
    title,
    section: kind,
    hasChanges: () => form.hasChanges() && !form.isSaving(),
    leave: others.leave,
    render: () => {
      const missing = isNew ? missingParent(kind, store) : undefined;
      if (missing) return html`${pageHead(title, '')}${emptyState(missing.text, allowed(page, missing))}`;
      return html`
        ${crumbs([[hashOf([kind]), many]], title)}
        ${pageHead(title, '', record && !isNew ? recordActions(page, kind, record, hashOf([kind])) : nothing)}
        <form novalidate class="entity-form ${kind}" @submit=${form.submit}>
          ${others.render()} ${waiting()}
          ${isLocked ? html`<p class="note">${t`You may read this ${one}. Ask an administrator if you need to change it.`}</p>` : nothing}
          ${conflict ? conflictNote(kind, form, conflict) : faultSummary(form, kind, duplicate, propose)}
          <div class="form-columns">
            <div class="form-main">
              ${isLocked ? html`<fieldset class="bare" disabled>${renderForm(kind, form, page, { isNew })}</fieldset>` : renderForm(kind, form, page, { isNew })}
              ${
                copiedCreatives.length > 0
                  ? checkBox(
                      t`Copy its ${counted(copiedCreatives.length, 'creative')} too`,
                      withCreatives,
                      (isOn) => (withCreatives = isOn),
                      'copy-creatives',
                    )
                  : nothing
              }
            </div>
            ${formAside(page, kind, form, isNew ? undefined : record, first)}
          </div>
          ${isLocked ? nothing : saveBar(form, isNew ? t`Create ${one}` : t`Save`, isNew ? hashOf([kind]) : ['advertisers', 'campaigns', 'line_items'].includes(kind) ? linkTo(kind, id) : hashOf([kind]))}
        </form>
      `;
    },
  };
};

/** What has a state beside a form, or is read of its record. @param id undefined: of a new record */
const besideForm = (page: Page, kind: Kind, form: Form, id: string | undefined): (() => TemplateResult) | undefined => {
  if (kind === 'creatives') return createCreativeAside(page, form, id === undefined ? undefined : Number(id));
  return kind === 'placements' && id !== undefined ? createFill(page, id) : undefined;
};

/** What became of the requests for a placement: of a week, and of today. */
const createFill = (page: Page, id: string): (() => TemplateResult) => {
  const [flow, today] = [createFlowCard(page, 'placements', id), createUnfilledCard(page, id)];
  return () => html`${flow()}${today()}`;
};

/** A copy exists beside its original, so its name or id differs, and a line item starts paused. */
const copied = <T extends object>(record: T): Partial<T> => ({
  ...record,
  ...('name' in record
    ? record.name !== '' && { name: `${String(record.name).slice(0, MAX_COPIED_NAME)} (copy)` }
    : { id: 'id' in record ? `${String(record.id)}-copy` : undefined }),
  ...('active' in record && { active: false }),
  ...('screenshots' in record && { screenshots: [] }),
  external_key: null,
  archived: false,
});

/** A name has at most 256 characters. */
const MAX_COPIED_NAME = 256 - ' (copy)'.length;

/**
 * The copy of a blocked creative is blocked, too. One that cannot be copied, for example because its
 * placement belongs to another publisher, does not stop the others.
 */
const copyCreatives = async ({ api, store, toast }: Page, creatives: readonly CreativeWire[], lineItemId: number): Promise<void> => {
  const reasons: string[] = [];
  for (const { id: _id, blocked_at, ...creative } of creatives) {
    const answer = await api.records.create('creatives', { ...creative, external_key: null, line_item_id: lineItemId });
    const done = answer.ok && blocked_at ? await api.records.act('creatives', answer.value.id, 'block') : answer;
    if (done.ok) continue;
    const [fault] = done.problem.errors;
    reasons.push(fault ? faultInWords('creatives', fault, creative, store.dimensions()) : done.problem.detail);
  }
  if (reasons.length > 0) toast(t`${counted(reasons.length, 'creative')} could not be copied: ${reasons[0]}.`, { tone: 'bad' });
};

/** Says what keeps a line item or a creative that was saved from ever being shown. */
const warnIfStuck = async <K extends Kind>(page: Page, kind: K, saved: Records[K]): Promise<void> => {
  const itemId = kind === 'line_items' ? Number(saved.id) : kind === 'creatives' ? (saved as CreativeWire).line_item_id : undefined;
  if (itemId === undefined) return;
  const answer = await page.api.get('/statuses', { line_item_ids: itemId });
  const status = answer.ok ? answer.value.line_items[itemId] : undefined;
  const own = kind === 'creatives' ? status?.stuck_creatives.find(({ id }) => id === saved.id)?.reason : undefined;
  const reason = own ?? (status?.value === 'cannot serve' ? status.reasons[0] : undefined);
  if (reason !== undefined) page.toast(t`It cannot serve: ${withDates(reason)}.`, { tone: 'bad' });
};
