import type { Page } from '../../page.ts';
import type { Problem } from '../../api/wire.ts';
import type { Fault } from '../../../src/base/fault.ts';
import { withChoice } from '../forms/entity-draft.ts';
import { faultInWords } from '../forms/entity-fields.ts';
import type { Form } from '../forms/form.ts';
import { isWithin, readAt, writtenAt } from '../forms/pointer.ts';
import { textOf } from '../forms/typed-text.ts';
import { withDates } from '../../words/dates.ts';
import { bodyOf, suggestedName, type Booked, type BookingDraft, type CreativePart, type ItemPart } from './booking-draft.ts';

/** How a booking is saved: live, for approval, or without serving. */
export type SaveMode = 'live' | 'submit' | 'paused';

/** What a booking says about itself before it is saved. */
export interface Finding extends Fault {
  /** A fault keeps it from being saved, a stop from serving; a warning is probably not meant. */
  readonly of: 'fault' | 'stop' | 'warning';
}

export type BookingDesk = ReturnType<typeof createBookingDesk>;

const CHECK_MS = 400;
const KEEP_MS = 800;
const FIELD = /^\/(campaign|line_items\/(\d+))\/fields(\/.*)?$/;

/** The state of the booking screen. @param key what its draft is kept under */
export const createBookingDesk = (page: Page, key: string, initial: BookingDraft, onKept: () => void) => {
  const { api, store } = page;
  let draft = initial;
  let findings: readonly Finding[] = [];
  let problem: Problem | undefined;
  let isDirty = false;
  let isShown = false;
  let isSaving = false;
  let isGone = false;
  let keptAt: string | undefined;
  let turn = 0;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  let keepTimer: ReturnType<typeof setTimeout> | undefined;

  const advertiserName = (): string => store.find('advertisers', textOf(draft.campaign.fields['advertiser_id']))?.name ?? '';
  /** The name of a campaign that has none. */
  const name = (): string => suggestedName(draft, advertiserName());
  const title = (): string => textOf(draft.campaign.fields['name']).trim() || name() || '–';
  const body = () => bodyOf(draft, name(), store.dimensions());

  const inWords = ({ pointer, detail }: Fault): string => {
    const [, part, at, rest = ''] = FIELD.exec(pointer) ?? [];
    const said = withDates(detail);
    if (part === undefined || /^\/line_items\/\d+\/creatives/.test(pointer)) return said;
    const fields = at === undefined ? draft.campaign.fields : (draft.line_items[Number(at)]?.fields ?? {});
    return faultInWords(at === undefined ? 'campaigns' : 'line_items', { pointer: rest, detail }, fields, store.dimensions());
  };
  const found = (of: Finding['of'], notes: readonly Fault[]): readonly Finding[] =>
    notes.map((one) => ({ of, pointer: one.pointer, detail: inWords(one) }));

  const check = async (): Promise<void> => {
    const mine = ++turn;
    const answer = await api.send('POST', '/bookings', { dry_run: true, body: body() });
    if (mine !== turn || isGone) return;
    findings = answer.ok
      ? [...found('fault', answer.value.faults), ...found('stop', answer.value.stops), ...found('warning', answer.value.warnings)]
      : found('fault', answer.problem.errors);
    turn = 0;
    page.redraw();
  };
  const checkSoon = (): void => {
    clearTimeout(checkTimer);
    turn++;
    checkTimer = setTimeout(() => void check(), CHECK_MS);
  };

  const keepNow = async (kind: 'draft' | 'template' = 'draft', called = title()): Promise<boolean> => {
    clearTimeout(keepTimer);
    const at = kind === 'template' ? `template-${key}` : key;
    const answer = await api.send('PUT', '/booking_drafts/{key}', { key: at, body: { kind, name: called, content: { ...draft } } });
    if (!answer.ok && kind === 'template') page.complain(answer.problem);
    if (answer.ok && kind === 'draft') keptAt = answer.value.changed_at;
    if (answer.ok && kind === 'draft' && !isGone) onKept();
    page.redraw();
    return answer.ok;
  };

  const change = (to: (draft: BookingDraft) => BookingDraft): void => {
    draft = to(draft);
    isDirty = true;
    problem = undefined;
    clearTimeout(keepTimer);
    keepTimer = setTimeout(() => void keepNow(), KEEP_MS);
    checkSoon();
    page.redraw();
  };
  const changeItem = (of: string, to: (item: ItemPart) => ItemPart): void =>
    change((now) => ({ ...now, line_items: now.line_items.map((item) => (item.key === of ? to(item) : item)) }));

  const fieldsAt = (pointer: string) => {
    const [, part, at, rest = ''] = FIELD.exec(pointer) ?? [];
    return { item: at === undefined ? undefined : draft.line_items[Number(at)], isCampaign: part === 'campaign', rest };
  };
  /** Pointers are those of the booking: `/line_items/0/fields/cpm`. */
  const form: Form = {
    read: (pointer) => {
      const { item, isCampaign, rest } = fieldsAt(pointer);
      return readAt(isCampaign ? draft.campaign.fields : item?.fields, rest);
    },
    write: (pointer, value) => {
      const { item, rest } = fieldsAt(pointer);
      if (item) return changeItem(item.key, (one) => ({ ...one, fields: withChoice('line_items', one.fields, rest, value) }));
      change((now) => ({ ...now, campaign: { ...now.campaign, fields: writtenAt(now.campaign.fields, rest, value) } }));
    },
    // A field is not blamed for what a person has not come to yet.
    faultsAt: (pointer) =>
      isShown ? findings.filter((one) => one.of === 'fault' && isWithin(one.pointer, pointer)).map(({ detail }) => detail) : [],
  };

  const saved = (mode: SaveMode): BookingDraft => {
    const status = mode === 'live' ? 'approved' : mode === 'submit' ? 'pending' : 'draft';
    return {
      ...draft,
      campaign: { ...draft.campaign, fields: { ...draft.campaign.fields, active: mode !== 'paused' } },
      line_items: draft.line_items.map((item) => ({
        ...item,
        creatives: item.creatives.map((one) => {
          const isOpen =
            !one.base || (mode === 'live' && one.base['status'] === 'draft') || (mode === 'submit' && one.base['status'] === 'draft');
          return isOpen ? { ...one, fields: { ...one.fields, status } } : one;
        }),
      })),
    };
  };

  const save = async (mode: SaveMode): Promise<Booked | undefined> => {
    if (isSaving) return undefined;
    isSaving = true;
    isShown = true;
    problem = undefined;
    page.redraw();
    const answer = await api.send('POST', '/bookings', { body: bodyOf(saved(mode), name(), store.dimensions()) });
    isSaving = false;
    if (!answer.ok) {
      problem = answer.problem;
      findings = [...found('fault', answer.problem.errors), ...findings.filter(({ of }) => of !== 'fault')];
      page.redraw();
      return undefined;
    }
    isDirty = false;
    isGone = true;
    clearTimeout(keepTimer);
    clearTimeout(checkTimer);
    await api.send('DELETE', '/booking_drafts/{key}', { key });
    return answer.value;
  };

  checkSoon();
  return {
    ...{ key, change, changeItem, form, name, save, keepNow },
    draft: () => draft,
    changeCreatives: (item: string, to: (creatives: readonly CreativePart[]) => readonly CreativePart[]): void =>
      changeItem(item, (one) => ({ ...one, creatives: to(one.creatives) })),
    findings: () => findings,
    isChecking: () => turn > 0,
    keptAt: () => keptAt,
    hasChanges: () => isDirty && keptAt === undefined,
    isSaving: () => isSaving,
    problem: () => problem,
    leave: (): void => {
      clearTimeout(checkTimer);
      clearTimeout(keepTimer);
      if (isDirty && !isGone) void keepNow();
      isGone = true;
    },
  };
};
