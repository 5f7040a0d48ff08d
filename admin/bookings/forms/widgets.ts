import { html, type TemplateResult } from 'lit-html';
import { CREATIVE_FORMAT_WORDS } from '../../words/choice-words.ts';
import { CREATIVE_FORMATS, type CreativeFormat } from '../../../src/catalog/model/choices.ts';
import type { SpecialWidget } from '../../../src/catalog/entities/form-description.ts';
import { capRows, capsField, capsOfRows } from '../../parts/fields/caps-field.ts';
import { checkField, segmentedField, switchField } from '../../parts/fields/choice-field.ts';
import { contentField } from '../../parts/fields/content-field.ts';
import { countryField } from '../../parts/fields/country-field.ts';
import { dateField } from '../../parts/fields/date-field.ts';
import { dimensionField, dimensionValue } from '../../parts/fields/dimension-field.ts';
import { durationField, durationOf, secondsOf } from '../../parts/fields/duration-field.ts';
import { keyValueRows, keyValuesField, keyValuesOf, textRows, textsOf } from '../../parts/fields/key-values-field.ts';
import { moneyField, numberField, textArea, textField, type TextFieldOptions } from '../../parts/fields/text-field.ts';
import { rateRows, ratesField, ratesOfRows } from '../../parts/fields/rates-field.ts';
import { findRecords } from '../lists/find-records.ts';
import { recordField, recordsField } from '../../parts/fields/record-field.ts';
import { pagePicturesField, pictureDrafts, picturesOf } from '../../parts/fields/page-pictures-field.ts';
import { screenshotDrafts, screenshotsField, screenshotsOf } from '../../parts/fields/screenshots-field.ts';
import { playerDraft, playerOf } from '../../parts/fields/player-draft.ts';
import { playerField } from '../../parts/fields/player-field.ts';
import { weekField } from '../../parts/fields/week-field.ts';
import { valuesField } from '../../parts/fields/values-field.ts';
import type { Page } from '../../page.ts';
import type { Dimensions, Kind } from '../../api/wire.ts';
import { currencyInForm } from '../../words/currency.ts';
import { titleOf } from '../../words/kinds.ts';
import { choicesOf, hasType } from './entity-fields.ts';
import type { FormField, FieldSchema } from '../../../src/catalog/entities/form.ts';
import type { Form } from './form.ts';
import { targetedTexts, targetedValue } from './targeted-text.ts';
import { listOf, numberOf, textOf, textOrNull } from './typed-text.ts';
import { t } from '../../words/texts.ts';

/**
 * Between the record and what a form holds: numbers are held as typed, so that typing is never
 * lost.
 */
interface Codec {
  toDraft(value: unknown): unknown;
  toRecord(typed: unknown, context: { readonly schema: FieldSchema; readonly dimensions: Dimensions }): unknown;
}

export interface WidgetContext {
  readonly form: Form;
  readonly page: Page;
  readonly field: FormField;
  readonly options: TextFieldOptions;
}

interface Widget extends Codec {
  render(context: WidgetContext): TemplateResult;
}

const text: Codec = {
  toDraft: textOf,
  toRecord: (typed, { schema }) => (hasType(schema, 'null') ? textOrNull(typed) : textOf(typed).trim()),
};
const number: Codec = { toDraft: textOf, toRecord: numberOf };
/** A number or a text, as the schema says; nothing chosen is null. */
const choice: Codec = {
  toDraft: textOf,
  toRecord: (typed, { schema }) => (hasType(schema, 'integer') ? numberOf(typed) : textOrNull(typed)),
};
const list: Codec = {
  toDraft: listOf,
  toRecord: (typed, { schema: { items } }) => (items && hasType(items, 'integer') ? listOf(typed).map(numberOf) : listOf(typed)),
};
/** What cannot be parsed is sent as typed: the service says what is wrong. */
const json: Codec = {
  toDraft: (value) => (Object.keys(value ?? {}).length === 0 ? '' : JSON.stringify(value, undefined, 2)),
  toRecord: (typed) => {
    const text = textOf(typed).trim();
    try {
      return text === '' ? {} : (JSON.parse(text) as unknown);
    } catch {
      return text;
    }
  },
};

type PlainWidget = 'values' | 'text' | 'number' | 'date' | 'switch' | 'choice' | 'checks' | 'parent' | 'parents';

const WIDGETS: Readonly<Record<PlainWidget | SpecialWidget, Widget>> = {
  text: { ...text, render: ({ form, options }) => textField(form, options) },
  number: { ...number, render: ({ form, options }) => numberField(form, options) },
  money: { ...number, render: ({ form, page, options }) => moneyField(form, currencyInForm(page.store, form), options) },
  date: { ...choice, render: ({ form, options }) => dateField(form, options) },
  switch: {
    toDraft: (value) => value === true || value === 'true',
    toRecord: (typed) => typed,
    render: ({ form, options }) => switchField(form, options),
  },
  choice: { ...choice, render: ({ form, options, field }) => segmentedField(form, { ...options, choices: choicesOf(field) }) },
  values: { ...list, render: ({ form, options: { inputMode: _, ...options } }) => valuesField(form, options) },
  checks: { ...list, render: ({ form, options, field }) => checkField(form, { ...options, choices: choicesOf(field) }) },
  parent: { ...choice, render: parentField },
  parents: { ...list, render: parentsField },
  duration: {
    toDraft: durationOf,
    toRecord: secondsOf,
    render: ({ form, options }) => durationField(form, options),
  },
  countries: { ...list, render: ({ form, options }) => countryField(form, options) },
  dimensions: {
    toDraft: (value) => Object.fromEntries(Object.entries(value ?? {}).map(([name, values]) => [name, targetedTexts(values)])),
    toRecord: (typed, { dimensions }) =>
      Object.fromEntries(
        Object.entries(typed as Readonly<Record<string, readonly string[]>>)
          .filter(([, values]) => values.length > 0)
          .map(([name, values]) => [name, values.map((value) => targetedValue(value, (text) => dimensionValue(dimensions[name], text)))]),
      ),
    render: ({ form, page, options }) =>
      html`${Object.entries(page.store.dimensions()).map(([name, dimension]) => dimensionField(form, options.pointer, name, dimension))}`,
  },
  'key-values': {
    toDraft: keyValueRows,
    toRecord: keyValuesOf,
    render: ({ form, options }) => keyValuesField(form, options),
  },
  week: { toDraft: (value) => value ?? [], toRecord: (typed) => typed, render: ({ form, options }) => weekField(form, options) },
  caps: { toDraft: capRows, toRecord: capsOfRows, render: ({ form, options }) => capsField(form, options) },
  rates: { toDraft: rateRows, toRecord: ratesOfRows, render: ({ form, options }) => ratesField(form, options) },
  player: {
    toDraft: playerDraft,
    toRecord: playerOf,
    render: ({ form, options }) => (takesPlayers(form) ? playerField(form, options) : html``),
  },
  'page-pictures': {
    toDraft: pictureDrafts,
    toRecord: picturesOf,
    render: ({ form, page, options }) => pagePicturesField(form, page, options),
  },
  screenshots: {
    toDraft: screenshotDrafts,
    toRecord: screenshotsOf,
    render: ({ form, page, options }) => screenshotsField(form, page, options),
  },
  headers: {
    toDraft: textRows,
    toRecord: textsOf,
    render: ({ form, options }) => keyValuesField(form, { ...options, one: true, what: t`header` }),
  },
  lines: {
    toDraft: (value) => listOf(value).join('\n'),
    toRecord: (typed) =>
      textOf(typed)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    render: ({ form, options }) => textArea(form, { ...options, rows: 4 }),
  },
  json: { ...json, render: ({ form, options }) => textArea(form, { ...options, rows: 5 }) },
  'creative-format': { ...choice, render: formatField },
  'creative-content': { toDraft: textOf, toRecord: textOf, render: ({ form, page }) => contentField(form, page) },
};

/** A placement of pages has no player. */
const takesPlayers = (form: Form): boolean => listOf(form.read('/formats')).some((format) => format === 'video' || format === 'audio');

const plainWidget = ({ schema, parent }: FormField): PlainWidget => {
  if (parent) return schema.items ? 'parents' : 'parent';
  if (schema.enum) return 'choice';
  if (schema.items?.enum) return 'checks';
  if (schema.items) return 'values';
  if (schema.format === 'flight-date') return 'date';
  if (hasType(schema, 'boolean')) return 'switch';
  return hasType(schema, 'number', 'integer') ? 'number' : 'text';
};

const widgetOf = (field: FormField): Widget => WIDGETS[field.words.widget ?? plainWidget(field)];

export const codecOf = (field: FormField): Codec => widgetOf(field);

export const renderWidget = (context: WidgetContext): TemplateResult => widgetOf(context.field).render(context);

/** The records of another kind, by name. */
function parentField({ form, page, field, options }: WidgetContext): TemplateResult {
  const { parent } = field;
  if (!parent) throw new Error(`${field.pointer} has no parent`);
  return recordField(form, page, { ...options, kind: parent });
}

/** More records than this are searched for. */
const MAX_TICKED = 12;

const wantedFew = ({ store }: Page, kind: Kind, query: string) => store.wanted(kind, query, MAX_TICKED + 1);

/** Reads the placements of a publisher that a field offers, before the field is shown. */
export const expectPlacements = (page: Page, publisherId: string): void => {
  for (const query of placementsOf(publisherId)) wantedFew(page, 'placements', query);
};

/** Several records of another kind; of placements, those that the publisher of the line item may use, and those chosen before. */
function parentsField({ form, page, field, options }: WidgetContext): TemplateResult {
  const { store, api } = page;
  const { parent } = field;
  if (!parent) throw new Error(`${field.pointer} has no parent`);
  const queries = parent === 'placements' ? placementQueries(form, page) : [''];
  const lists = queries.map((query) => wantedFew(page, parent, query));
  const labelOf = (id: string): string => {
    const record = store.find(parent, id);
    if (!record) return parent === 'placements' ? id : `#${id}`;
    return 'height' in record && parent === 'placements' ? `${id} (${record.width}\u00A0×\u00A0${record.height})` : titleOf(parent, record);
  };
  const usable = lists.flatMap((list) => list?.rows ?? []).map(({ id }) => String(id));
  const ids = [...new Set([...usable, ...listOf(form.read(options.pointer))])].toSorted((a, b) => labelOf(a).localeCompare(labelOf(b)));
  if (ids.length > 0 && ids.length <= MAX_TICKED && !lists.some((list) => list?.more))
    return checkField(form, { ...options, choices: ids.map((id) => ({ value: id, label: labelOf(id) })) });
  const find = async (text: string) => (await Promise.all(queries.map((query) => findRecords(api, parent, query)(text)))).flat();
  return recordsField(form, page, { ...options, kind: parent, labelOf, find });
}

/** Placements of the publisher, and those that are open to all. */
const placementQueries = (form: Form, { store }: Page): readonly string[] => {
  const item = store.find('line_items', textOf(form.read('/line_item_id')));
  const campaign = store.find('campaigns', item?.campaign_id ?? textOf(form.read('/campaign_id')));
  const owner = campaign?.publisher_id ?? textOf(form.read('/publisher_id'));
  return placementsOf(textOf(owner));
};

const placementsOf = (owner: string): readonly string[] => (owner === '' ? [''] : [`publisher_id=${owner}`, 'open=true']);

/** The formats that the chosen placements allow. */
function formatField({ form, page: { store }, field, options }: WidgetContext): TemplateResult {
  const placements = listOf(form.read('/placement_ids')).flatMap((id) => store.find('placements', id) ?? []);
  const allowed = CREATIVE_FORMATS.filter((format) => placements.every(({ formats }) => formats.includes(format)));
  const choices = choicesOf(field).filter(({ value }) => allowed.some((each) => each === value) || form.read('/format') === value);
  return segmentedField(form, {
    ...options,
    choices,
    ...(placements.length > 0 && { help: allowedWords(placements.length, allowed) }),
  });
}

const allowedWords = (placements: number, allowed: readonly CreativeFormat[]): string => {
  const formats = allowed.map((format) => CREATIVE_FORMAT_WORDS[format].label);
  if (placements === 1) return t`This placement allows ${formats.join(', ')}.`;
  return formats.length === 0 ? t`These placements have no format in common.` : t`These placements all allow ${formats.join(', ')}.`;
};
