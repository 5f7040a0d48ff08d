import { DEVICE_WORDS } from '../words/choice-words.ts';
import { html, nothing, type TemplateResult } from 'lit-html';
import { listOf, numberOf, splitValues, textOf } from '../bookings/forms/typed-text.ts';
import { segmentedField, selectField } from '../parts/fields/choice-field.ts';
import { COUNTRIES } from '../parts/fields/country-field.ts';
import { recordField } from '../parts/fields/record-field.ts';
import { dimensionField, dimensionValue } from '../parts/fields/dimension-field.ts';
import { keyValuesField, type KeyValueRow } from '../parts/fields/key-values-field.ts';
import { textField } from '../parts/fields/text-field.ts';
import { createForm, type Draft, type SavedForm } from '../bookings/forms/form.ts';
import { addStep, allowed } from '../bookings/forms/next-step.ts';
import { formSection } from '../parts/form-section.ts';
import { publisherOfCampaign } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, pageHead, problemNote } from '../parts/parts.ts';
import type { Route } from '../route.ts';
import type { Dimensions } from '../api/wire.ts';
import { debugLinkCard } from '../bookings/actions.ts';
import { readTrace } from './read-trace.ts';
import { testResult, type TestAnswer } from './test-result.ts';
import { t } from '../words/texts.ts';

const DEVICE_CHOICES = [{ value: '', label: t`As here` }, ...Object.entries(DEVICE_WORDS).map(([value, { label }]) => ({ value, label }))];

/**
 * Requests an ad for a chosen visitor and shows it with every step of the decision. Nothing is
 * served or counted.
 */
export const openTest = async (page: Page, route: Route): Promise<View> => {
  const { api, store } = page;
  const item = route.query.getAll('line_item_id');
  const creatives = `line_item_id=${item.join()}`;
  await Promise.all([
    store.count(),
    store.ensure('line_items', ...item),
    store.ensure('placements', ...route.query.getAll('placement_id')),
    ...(item.length > 0 ? [store.read('creatives', creatives, 1)] : []),
  ]);
  const asked = store.find('line_items', item[0]);
  const shown = asked && store.listing('creatives', creatives)?.rows[0];
  const [placement] = store.first('placements');
  const publisher = asked ? publisherOfCampaign(store, asked.campaign_id) : store.first('publishers')[0];
  let answer: TestAnswer | undefined;

  const form = createForm<TestAnswer>({
    page,
    draft: {
      publisher_id: textOf(publisher?.id),
      placement_id: route.query.get('placement_id') ?? shown?.placement_id ?? placement?.id ?? '',
      country: asked?.targeting.countries?.[0] ?? '',
      region: asked?.targeting.regions?.[0] ?? '',
      city: asked?.targeting.cities?.[0] ?? '',
      device: '',
      user_id: 'test-visitor',
      page_placements: '',
      dimensions: {},
      key_values: [],
    },
    save: async (draft) => {
      const given = await api.send('POST', '/test_ad', { body: requestOf(draft, store.dimensions()) });
      if (given.ok) return given;
      const errors = given.problem.errors.map(({ pointer, detail }) => ({ pointer: fieldOf(pointer, store.dimensions()), detail }));
      return { ok: false, problem: { ...given.problem, errors } };
    },
    onSaved: async (given) => {
      const candidates = given.debug.trace.imps.flatMap((imp) => readTrace(imp, given.cur));
      const problem = await store.ensure('line_items', ...candidates.map(({ lineItemId }) => lineItemId));
      if (problem) page.complain(problem);
      answer = given;
    },
  });

  return {
    title: t`Test an ad`,
    section: 'test',
    render: () => {
      const head = pageHead(t`Test an ad`, t`Which ad would this visitor get, and why? Nothing is served, counted or billed.`);
      if (!store.first('publishers')[0])
        return html`${head}${emptyState(t`Add a publisher first: every ad request names one.`, allowed(page, addStep('publishers')))}`;
      if (!placement)
        return html`${head}${emptyState(t`Add a placement first: every ad request names one.`, allowed(page, addStep('placements')))}`;
      const problem = form.problem();
      return html`
        ${head}
        <form novalidate class="entity-form test" @submit=${form.submit}>
          <div class="form-columns">
            <div class="form-main">${fields(form, page)}</div>
            <div class="form-aside test-aside" aria-live="polite">
              ${problem ? problemNote(problem) : nothing}
              ${answer && !problem ? testResult(page, answer, textOf(form.read('/placement_id')), asked?.id) : nothing}
              ${!answer && !problem ? html`<section class="card"><p class="empty-preview">${t`The ad and its decision appear here.`}</p></section>` : nothing}
              ${debugLinkCard(page, store.find('publishers', textOf(form.read('/publisher_id'))))}
            </div>
          </div>
        </form>
      `;
    },
  };
};

const fields = (form: SavedForm, page: Page): TemplateResult =>
  formSection(
    t`The visitor`,
    '',
    html`
      ${recordField(form, page, { pointer: '/publisher_id', label: t`Publisher`, required: true, kind: 'publishers' })}
      ${recordField(form, page, { pointer: '/placement_id', label: t`Placement`, required: true, kind: 'placements' })}
      ${selectField(form, { pointer: '/country', label: t`Country`, none: t`As here`, choices: COUNTRIES })}
      ${textField(form, { pointer: '/region', label: t`Region`, placeholder: t`As here`, help: t`An ISO 3166-2 code, such as US-CA.` })}
      ${textField(form, { pointer: '/city', label: t`City`, placeholder: t`As here`, help: t`Its English name.` })}
      ${textField(form, { pointer: '/user_id', label: t`User id`, help: t`Frequency caps count per user id.` })}
      ${textField(form, {
        pointer: '/page_placements',
        label: t`Placements of the page`,
        wide: true,
        placeholder: t`Only the one above`,
        help: t`All that the page asks for, also in other requests, separated by commas. A roadblock needs all of its own.`,
      })}
      ${segmentedField(form, { pointer: '/device', label: t`Device`, wide: true, choices: DEVICE_CHOICES })}
      <details class="wide">
        <summary>${t`Dimensions and key-values of the page`}</summary>
        <div class="fields">
          ${Object.entries(page.store.dimensions()).map(([name, dimension]) => dimensionField(form, '/dimensions', name, dimension))}
          ${keyValuesField(form, { pointer: '/key_values', label: t`Key-values`, wide: true, one: true })}
        </div>
      </details>
      <div class="wide"><button type="submit" aria-busy=${form.isSaving() ? 'true' : 'false'}>${t`Ask for an ad`}</button></div>
    `,
  );

const requestOf = (draft: Draft, dimensions: Dimensions) => {
  const rows = draft['key_values'] as readonly KeyValueRow[];
  const given = Object.entries(draft['dimensions'] as Readonly<Record<string, unknown>>).flatMap(([name, values]) => {
    const typed = listOf(values).map((value) => dimensionValue(dimensions[name], value));
    return typed.length === 0 ? [] : [[name, typed.length === 1 ? typed[0] : typed] as const];
  });
  const free = rows.filter(({ name }) => name.trim() !== '').map(({ name, values }) => [name.trim(), values.trim()] as const);
  return {
    id: 'test',
    imp: [{ id: '1', tagid: draft['placement_id'] }],
    user: { id: textOf(draft['user_id']).trim() || 'test-visitor' },
    ext: { publisher_id: numberOf(draft['publisher_id']), kv: Object.fromEntries([...free, ...given]), ...pageOf(draft) },
    context: Object.fromEntries(
      ['country', 'region', 'city', 'device'].flatMap((name) => {
        const chosen = textOf(draft[name]).trim();
        return chosen === '' ? [] : [[name, chosen] as const];
      }),
    ),
  };
};

/** A view of a page of its own: nothing of it has been shown. */
const pageOf = (draft: Draft) => {
  const placements = splitValues(textOf(draft['page_placements']));
  return placements.length === 0 ? {} : { page_view: 'test', page_placements: placements };
};

/** The field of this form that a fault in the request belongs to. */
const fieldOf = (pointer: string, dimensions: Dimensions): string => {
  const [, name = ''] = /^\/ext\/kv\/([^/]*)/.exec(pointer) ?? [];
  if (pointer.startsWith('/ext/page_placements')) return '/page_placements';
  if (name !== '') return name in dimensions ? `/dimensions/${name}` : '/key_values';
  return (
    { '/user/id': '/user_id', '/ext/publisher_id': '/publisher_id', '/imp/0/tagid': '/placement_id' }[pointer] ??
    pointer.replace('/context', '')
  );
};
