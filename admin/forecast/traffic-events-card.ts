import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Problem } from '../api/wire.ts';
import { splitValues } from '../bookings/forms/typed-text.ts';
import type { Page } from '../page.ts';
import { button, card, problemNote } from '../parts/parts.ts';
import { date, hour } from '../words/dates.ts';
import { listed } from '../words/kinds.ts';
import { momentOnClocks, onClocksOf } from '../words/local-time.ts';
import { say, t } from '../words/texts.ts';
import { locale } from '../words/language.ts';

type TrafficEvent = Answered<'GET', '/traffic_events'>[number];
type Draft = Omit<TrafficEvent, 'id' | 'publisher_id'>;

/** What staff know of traffic to come. @param onChange forecasts take another traffic into account */
export const createTrafficEvents = (page: Page, publisher: () => number, onChange: () => void) => {
  const { api, rights } = page;
  const may = rights.may('POST', '/traffic_events');
  /** Its days are those of the publisher. */
  const zone = (): string => page.store.find('publishers', publisher())?.time_zone ?? 'UTC';
  let events: readonly TrafficEvent[] = [];
  let problem: Problem | undefined;
  /** The id of the one that is changed; 0: a new one; undefined: none. */
  let edited: number | undefined;
  let faults: Problem | undefined;

  const load = async (): Promise<void> => {
    const answer = await api.get('/traffic_events', { publisher: publisher() });
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) events = answer.value;
    page.redraw();
  };
  const done = async (words: string, undo?: () => Promise<unknown>): Promise<void> => {
    edited = undefined;
    faults = undefined;
    page.toast(words, undo && { action: { label: t`Undo`, run: () => void undo() } });
    await load();
    onChange();
  };
  const create = async (draft: Draft): Promise<Problem | undefined> => {
    const answer = await api.send('POST', '/traffic_events', { body: { ...draft, publisher_id: publisher() } });
    return answer.ok ? undefined : answer.problem;
  };
  const replace = async (id: number, draft: Draft): Promise<Problem | undefined> => {
    const answer = await api.send('PUT', '/traffic_events/{id}', { id, body: { ...draft, publisher_id: publisher() } });
    return answer.ok ? undefined : answer.problem;
  };
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const draft = draftIn(event.currentTarget as HTMLFormElement, zone());
    const id = edited ?? 0;
    const before = events.find((one) => one.id === id);
    faults = id === 0 ? await create(draft) : await replace(id, draft);
    if (faults) return page.redraw();
    const undo = before && (() => replace(id, before).then(() => done(t`It is as before.`)));
    await done(t`“${draft.name}” is noted. Forecasts take it into account.`, undo);
  };
  const remove = async ({ id, publisher_id: _, ...event }: TrafficEvent): Promise<void> => {
    const answer = await api.send('DELETE', '/traffic_events/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    await done(t`“${event.name}” is removed.`, () => create(event).then(() => done(t`It is as before.`)));
  };
  const edit = (id: number | undefined): void => {
    edited = id;
    faults = undefined;
    page.redraw();
    if (id !== undefined) requestAnimationFrame(() => document.getElementById('traffic-event-name')?.focus());
  };
  const row = (event: TrafficEvent): TemplateResult =>
    edited === event.id
      ? html`<li>${form(event)}</li>`
      : html`<li class="traffic-event">
          <span><b>${event.name}</b> <span class="pill calm">× ${event.factor.toLocaleString(locale)}</span></span>
          <span class="muted">${spanWords(event, zone())}; ${whereWords(event)}</span>
          ${
            may
              ? html`<span class="actions"
                  >${button(t`Edit`, () => edit(event.id), 'quiet', t`Edit ${event.name}`)}
                  ${button(t`Remove`, () => remove(event), 'quiet', t`Remove ${event.name}`)}</span
                >`
              : nothing
          }
        </li>`;
  const typedOf = (moment: string | undefined): string => (moment === undefined ? '' : onClocksOf(zone(), moment));
  const form = (event: Partial<Draft>): TemplateResult =>
    html`<form class="traffic-form" novalidate @submit=${save}>
      ${faults ? problemNote(faults, faults.errors.map(faultWords)) : nothing}
      <label
        >${t`Name`}<input id="traffic-event-name" name="name" maxlength="128" placeholder=${t`Election night`} .value=${event.name ?? ''}
      /></label>
      <label>${t`From (${zone()})`}<input name="from" type="datetime-local" .value=${typedOf(event.from)} /></label>
      <label>${t`To (${zone()})`}<input name="to" type="datetime-local" .value=${typedOf(event.to)} /></label>
      <label
        >${t`Times the usual traffic`}<input
          name="factor"
          inputmode="decimal"
          placeholder="3"
          .value=${event.factor === undefined ? '' : String(event.factor)}
      /></label>
      <label>${t`Placements`}<input name="placements" placeholder=${t`all of them`} .value=${(event.placements ?? []).join(', ')} /></label>
      <label
        >${t`Pages with`}<input name="key_values" placeholder=${t`section=politics`} .value=${pairsOf(event.key_values ?? {}).join(', ')}
      /></label>
      <p class="actions"><button type="submit">${t`Save`}</button> ${button(t`Cancel`, () => edit(undefined), 'secondary')}</p>
    </form>`;
  return {
    load,
    render: () =>
      card(
        t`Traffic that is known beforehand`,
        html`${problem ? problemNote(problem) : nothing}
          ${
            events.length === 0 && edited === undefined
              ? html`<p class="muted">
                  ${t`Nothing is noted. An election night, a match or a holiday changes traffic: note it here, and forecasts take it into account.`}
                </p>`
              : nothing
          }
          ${edited === 0 ? form({}) : nothing}
          <ul class="traffic-events">
            ${events.map(row)}
          </ul>`,
        may && edited === undefined ? button(t`Add`, () => edit(0), 'secondary', t`Add what is known of traffic`) : nothing,
      ),
  };
};

const draftIn = (form: HTMLFormElement, zone: string): Draft => {
  const text = (name: string): string => (form.elements.namedItem(name) as HTMLInputElement).value.trim();
  const words = (name: string): readonly string[] => splitValues(text(name));
  const values: Record<string, string[]> = {};
  for (const pair of words('key_values')) {
    const [name = '', value = ''] = pair.split('=', 2).map((one) => one.trim());
    (values[name] ??= []).push(value);
  }
  const factor = text('factor').replace(',', '.');
  return {
    ...{ name: text('name'), from: momentOnClocks(zone, text('from')), to: momentOnClocks(zone, text('to')) },
    factor: factor === '' || Number.isNaN(Number(factor)) ? (factor as unknown as number) : Number(factor),
    ...{ placements: [...words('placements')], key_values: values },
  };
};

const LABELS: Readonly<Record<string, string>> = {
  name: t`Name`,
  from: t`From`,
  to: t`To`,
  factor: t`Times the usual traffic`,
  placements: t`Placements`,
  key_values: t`Pages with`,
};

const faultWords = ({ pointer, detail }: Problem['errors'][number]): string => {
  const name = pointer.split('/')[1] ?? '';
  const said = name === 'from' || name === 'to' ? t`needs a day and a time, and must end after it begins` : say(detail);
  return `${LABELS[name] ?? ''} ${said}`.trim();
};

const spanWords = (event: TrafficEvent, zone: string): string => {
  const [from, to] = [onClocksOf(zone, event.from), onClocksOf(zone, event.to)];
  return from.slice(0, 10) === to.slice(0, 10)
    ? `${date(from.slice(0, 10))}, ${from.slice(11)}–${to.slice(11)} (${zone})`
    : `${hour(from)} – ${hour(to)} (${zone})`;
};

const pairsOf = (values: TrafficEvent['key_values']): readonly string[] =>
  Object.entries(values).flatMap(([name, of]) => of.map((value) => `${name}=${value}`));

const whereWords = ({ placements, key_values }: TrafficEvent): string => {
  const pairs = pairsOf(key_values);
  return [
    placements.length === 0 ? t`all placements` : listed(placements),
    ...(pairs.length > 0 ? [t`pages with ${listed(pairs)}`] : []),
  ].join(', ');
};
