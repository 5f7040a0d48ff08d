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

/** The state of the booking screen. */
export interface BookingDesk {
  draft(): BookingDraft;
  /** What its draft is kept under. */
  readonly key: string;
  change(to: (draft: BookingDraft) => BookingDraft): void;
  changeItem(key: string, to: (item: ItemPart) => ItemPart): void;
  changeCreatives(item: string, to: (creatives: readonly CreativePart[]) => readonly CreativePart[]): void;
  /** Pointers are those of the booking: `/line_items/0/fields/cpm`. */
  readonly form: Form;
  findings(): readonly Finding[];
  isChecking(): boolean;
  /** The name of a campaign that has none. */
  name(): string;
  keptAt(): string | undefined;
  hasChanges(): boolean;
  isSaving(): boolean;
  problem(): Problem | undefined;
  save(mode: SaveMode): Promise<Booked | undefined>;
  keepNow(kind?: 'draft' | 'template', name?: string): Promise<boolean>;
  leave(): void;
}

const CHECK_MS = 400;
const KEEP_MS = 800;
const FIELD = /^\/(campaign|line_items\/(\d+))\/fields(\/.*)?$/;

export const createBookingDesk = (page: Page, key: string, initial: BookingDraft, onKept: () => void): BookingDesk => {
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

  const keepNow: BookingDesk['keepNow'] = async (kind = 'draft', called = title()) => {
    clearTimeout(keepTimer);
    const at = kind === 'template' ? `template-${key}` : key;
    const answer = await api.send('PUT', '/booking_drafts/{key}', { key: at, body: { kind, name: called, content: { ...draft } } });
    if (!answer.ok && kind === 'template') page.complain(answer.problem);
    if (answer.ok && kind === 'draft') keptAt = answer.value.changed_at;
    if (answer.ok && kind === 'draft' && !isGone) onKept();
    page.redraw();
    return answer.ok;
  };

  const change: BookingDesk['change'] = (to) => {
    draft = to(draft);
    isDirty = true;
    problem = undefined;
    clearTimeout(keepTimer);
    keepTimer = setTimeout(() => void keepNow(), KEEP_MS);
    checkSoon();
    page.redraw();
  };
  const changeItem: BookingDesk['changeItem'] = (of, to) =>
    change((now) => ({ ...now, line_items: now.line_items.map((item) => (item.key === of ? to(item) : item)) }));

  const fieldsAt = (pointer: string) => {
    const [, part, at, rest = ''] = FIELD.exec(pointer) ?? [];
    return { item: at === undefined ? undefined : draft.line_items[Number(at)], isCampaign: part === 'campaign', rest };
  };
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
    faults: () => findings,
    problem: () => problem,
    isSaving: () => isSaving,
    hasChanges: () => isDirty,
    draft: () => ({ ...draft }),
    note: () => '',
    writeNote: () => undefined,
    submit: () => Promise.resolve(),
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
    changeCreatives: (item, to) => changeItem(item, (one) => ({ ...one, creatives: to(one.creatives) })),
    findings: () => findings,
    isChecking: () => turn > 0,
    keptAt: () => keptAt,
    hasChanges: () => isDirty && keptAt === undefined,
    isSaving: () => isSaving,
    problem: () => problem,
    leave: () => {
      clearTimeout(checkTimer);
      clearTimeout(keepTimer);
      if (isDirty && !isGone) void keepNow();
      isGone = true;
    },
  };
};
