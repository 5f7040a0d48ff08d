import { html, nothing, type TemplateResult } from 'lit-html';
import type { FormField } from '../../../src/catalog/entities/form.ts';
import { button } from '../../parts/parts.ts';
import { input } from '../../parts/fields/input.ts';
import { fieldsOf, holds } from '../forms/entity-fields.ts';
import { rateOffers } from '../rates-card.ts';
import type { Form } from '../forms/form.ts';
import { readAt } from '../forms/pointer.ts';
import { optionsOf } from '../forms/render-form.ts';
import { textOf } from '../forms/typed-text.ts';
import { expectPlacements, renderWidget } from '../forms/widgets.ts';
import { counted, titleOf } from '../../words/kinds.ts';
import { currencyOfPublisher } from '../../words/currency.ts';
import { t } from '../../words/texts.ts';
import { newKey, type ItemPart } from './booking-draft.ts';
import { creativeStrip } from './creative-strip.ts';
import type { ItemRowContext } from './item-row-context.ts';
import { groupWords, ITEM_GROUPS, type GroupName, type ItemGroup } from './item-groups.ts';

/** A line item as a row that opens in place: its groups are lines of words, each of which opens in turn. */
export const itemRow = (context: ItemRowContext, item: ItemPart, at: number): TemplateResult => {
  const { page, desk, opened } = context;
  const isOpen = opened.has(item.key);
  if (isOpen) expectPlacements(page, textOf(desk.form.read('/campaign/fields/publisher_id')));
  const words = groupWords(item, {
    dimensions: page.store.dimensions(),
    currency: currencyOfPublisher(page.store, textOf(desk.form.read('/campaign/fields/publisher_id'))),
    targetingNamed: (id) => page.store.find('targetings', id)?.name ?? `#${id}`,
  });
  const title = titleIn(item, at, textOf(desk.draft().campaign.fields['name']));
  const id = `item-${item.key}`;
  const faults = desk.form.faultsAt(`/line_items/${at}`).length;
  return html`<li class="desk-item ${isOpen ? 'open' : ''}">
    <div class="desk-item-head">
      <button
        type="button"
        class="desk-item-title"
        id=${id}
        aria-expanded=${isOpen ? 'true' : 'false'}
        @click=${() => opened.toggle(item.key)}
      >
        <span class="desk-caret" aria-hidden="true"></span><b>${title}</b>
        ${isOpen ? nothing : html`<span class="desk-line">${[words.price, words.where, words.who, ...(isWithCampaign(desk, item) ? [] : [words.when])].join(' · ')}</span>`}
        ${faults > 0 ? html`<span class="pill bad">${counted(faults, 'fault')}</span>` : nothing}
      </button>
      ${itemActions(context, item, title)}
    </div>
    ${
      isOpen
        ? html`<div class="desk-groups">
            ${ITEM_GROUPS.map((group) => groupOf(context, item, at, group, words[group.name]))} ${creativeStrip(context, item, at)}
          </div>`
        : nothing
    }
  </li>`;
};

/** Whether it runs on all days and hours of its campaign, which are named above it. */
const isWithCampaign = (desk: ItemRowContext['desk'], { fields }: ItemPart): boolean => {
  const { campaign } = desk.draft();
  const days = ['start_date', 'end_date'].every((name) => ['', textOf(campaign.fields[name])].includes(textOf(fields[name])));
  const { schedule } = fields;
  return days && !(Array.isArray(schedule) && schedule.length > 0);
};

/** Its name, without that of the campaign where it begins with it. */
const titleIn = ({ fields, id, base }: ItemPart, at: number, campaign: string): string => {
  const whole = textOf(fields['name']).trim();
  const rest = campaign !== '' && whole.startsWith(campaign) ? whole.slice(campaign.length).replace(/^[\s,:–-]+/, '') : '';
  const name = rest || whole;
  if (name !== '') return name;
  return id === undefined ? t`Line item ${at + 1}` : titleOf('line_items', base as never);
};

const itemActions = ({ desk, opened }: ItemRowContext, item: ItemPart, title: string): TemplateResult => {
  const copy = (): void => {
    const { id: _id, base: _base, ...rest } = item;
    const key = newKey();
    const creatives = item.creatives.map(({ id: _, base: __, ...one }) => ({ ...one, key: newKey() }));
    const fields = { ...rest.fields, external_key: '' };
    desk.change((now) => ({ ...now, line_items: [...now.line_items, { ...rest, key, fields, creatives: item.base ? [] : creatives }] }));
    opened.toggle(key, true);
  };
  const remove = (): void => desk.change((now) => ({ ...now, line_items: now.line_items.filter(({ key }) => key !== item.key) }));
  return html`<div class="desk-item-actions">
    ${button(t`Copy`, copy, 'quiet', t`Copy ${title}`)}
    ${item.id === undefined ? button('×', remove, 'quiet icon-button', t`Remove ${title}`) : nothing}
  </div>`;
};

const groupOf = (context: ItemRowContext, item: ItemPart, at: number, group: ItemGroup, words: string): TemplateResult => {
  const { desk, opened } = context;
  const name = `${item.key} ${group.name}`;
  const isOpen = opened.has(name);
  const base = `/line_items/${at}/fields`;
  const faults = [...group.fields, ...group.more].flatMap((field) => desk.form.faultsAt(`${base}/${field}`));
  return html`<section class="desk-group ${isOpen ? 'open' : ''}">
    <button
      type="button"
      class="desk-group-head"
      id=${groupId(at, group.name)}
      aria-expanded=${isOpen ? 'true' : 'false'}
      @click=${(event: Event) => {
        opened.toggle(name);
        if (!isOpen) focusFirst((event.currentTarget as HTMLElement).parentElement);
      }}
    >
      <span class="desk-group-label">${group.label}</span><span class="desk-line">${words}</span>
      ${faults.length > 0 ? html`<span class="pill bad">${counted(faults.length, 'fault')}</span>` : nothing}
    </button>
    ${
      isOpen
        ? html`<div
            class="fields"
            @keydown=${(event: KeyboardEvent) => closeOnEscape(event, () => opened.toggle(name, false), groupId(at, group.name))}
          >
            ${fieldsIn(context, item, at, group)}
          </div>`
        : nothing
    }
  </section>`;
};

export const groupId = (at: number, name: GroupName): string => `desk-${at}-${name}`;

/** After the next drawing. */
const focusFirst = (section: Element | null): void => {
  queueMicrotask(() => section?.querySelector<HTMLElement>('.fields :is(input, select, textarea, button)')?.focus());
};

const closeOnEscape = (event: KeyboardEvent, close: () => void, id: string): void => {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  close();
  document.getElementById(id)?.focus();
};

/** Those that most line items need, and after a press the others; what has a value is shown in any case. */
const fieldsIn = (context: ItemRowContext, item: ItemPart, at: number, group: ItemGroup): TemplateResult => {
  const { opened } = context;
  const all = `${item.key} ${group.name} all`;
  const known = fieldsOf('line_items');
  const named = (names: readonly string[]): readonly FormField[] =>
    names
      .flatMap((name) => known.find(({ pointer }) => pointer === `/${name}`) ?? [])
      .filter(({ words }) => holds(words.when, item.fields));
  const rest = named(group.more);
  const shown = rest.filter((field) => opened.has(all) || isSet(field, item));
  return html`${[...named(group.fields), ...shown].map((field) => fieldIn(context, item, at, field))}
  ${group.name === 'what' ? clickField(context, item, at) : nothing} ${group.name === 'price' ? listPrices(context, item, at) : nothing}
  ${
    rest.length > shown.length
      ? html`<p class="wide desk-more">
          ${button(
            t`More: ${rest
              .filter((field) => !shown.includes(field))
              .slice(0, MORE_NAMED)
              .map(({ words }) => words.label.toLowerCase())
              .join(', ')} …`,
            () => opened.toggle(all, true),
            'quiet',
          )}
        </p>`
      : nothing
  }`;
};

const MORE_NAMED = 4;

/** Prices of the publisher's rate card for it, over the days of its campaign where it has none itself. */
const listPrices = ({ page, desk }: ItemRowContext, item: ItemPart, at: number): TemplateResult | typeof nothing => {
  const publisher = page.store.find('publishers', textOf(desk.form.read('/campaign/fields/publisher_id')));
  if (!publisher) return nothing;
  const isDate = (pointer: string): boolean => pointer === '/start_date' || pointer === '/end_date';
  const offers = rateOffers(
    page,
    {
      read: (pointer) => {
        const own = readAt(item.fields, pointer);
        return own === '' && isDate(pointer) ? desk.form.read(`/campaign/fields${pointer}`) : own;
      },
      write: (pointer, value) => desk.form.write(`/line_items/${at}/fields${pointer}`, value),
    },
    publisher,
  );
  return offers === nothing
    ? nothing
    : html`<div class="wide">
        <b>${t`Rate card`}</b>
        ${offers}
      </div>`;
};

const isSet = ({ pointer, schema, words }: FormField, { fields }: ItemPart): boolean => {
  const value = readAt(fields, pointer);
  const usual = textOf(words.initial ?? schema.default);
  if (typeof value === 'object' && value !== null) return Object.values(value).flat().length > 0 && textOf(value) !== usual;
  return textOf(value) !== '' && textOf(value) !== usual;
};

/** The form of a line item by its own pointers, for what a field knows of the others. */
const fieldIn = ({ page, desk }: ItemRowContext, item: ItemPart, at: number, field: FormField): TemplateResult => {
  const pointer = `/line_items/${at}/fields${field.pointer}`;
  const publisher = textOf(desk.form.read('/campaign/fields/publisher_id'));
  const form: Form = { ...desk.form, read: (of) => (of === '/publisher_id' ? publisher : desk.form.read(of)) };
  const isDate = field.pointer === '/start_date' || field.pointer === '/end_date';
  return renderWidget({
    ...{ form, page, field },
    options: { ...optionsOf(field, item.fields), pointer, ...(isDate && { required: false, help: t`Empty: with the campaign.` }) },
  });
};

const clickField = ({ desk }: ItemRowContext, item: ItemPart, at: number): TemplateResult => {
  const id = `desk-click-${at}`;
  return html`<div class="field">
    <label for=${id}>${t`Landing page`}</label>
    ${input({
      control: { id },
      ...{ value: item.click, inputMode: 'url', placeholder: 'https://…', maxLength: 2048 },
      onInput: (click) => desk.changeItem(item.key, (one) => ({ ...one, click: click.trim() })),
    })}
    <small class="help">${t`Where a click on its new creatives leads.`}</small>
  </div>`;
};
