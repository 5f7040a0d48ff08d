import { html, nothing, type TemplateResult } from 'lit-html';
import { previewCreative } from '../../parts/preview/preview-document.ts';
import { input } from '../../parts/fields/input.ts';
import { button, pill, type Status } from '../../parts/parts.ts';
import { listed } from '../../words/kinds.ts';
import { t } from '../../words/texts.ts';
import { termsOf, type CreativeTerm } from '../creative-terms.ts';
import { labelOf } from '../forms/entity-fields.ts';
import { textOf } from '../forms/typed-text.ts';
import type { CreativePart, ItemPart } from './booking-draft.ts';
import { placementsOf } from './dropped-files.ts';
import { missingSizes } from './item-groups.ts';
import type { ItemRowContext } from './item-row-context.ts';

/** The creatives of a line item side by side, what is being stored, and the sizes that are missing. */
export const creativeStrip = (context: ItemRowContext, item: ItemPart, at: number): TemplateResult => {
  const { page, files } = context;
  const placements = placementsOf(page, item);
  const missing = missingSizes(item, placements);
  return html`<section class="desk-creatives" aria-label=${t`Creatives`}>
    ${
      item.creatives.length > 0
        ? html`<ul class="desk-strip">
            ${item.creatives.map((one, i) => creativeCard(context, item, one, `/line_items/${at}/creatives/${i}`))}
          </ul>`
        : nothing
    }
    <p class="desk-files">
      <label class="desk-add-files"
        ><input
          type="file"
          class="unseen"
          multiple
          accept="image/*,.zip,application/zip"
          @change=${({ target }: Event) => {
            const input = target as HTMLInputElement;
            void files.take([...(input.files ?? [])], item.key);
            input.value = '';
          }}
        /><span>${t`Add files`}</span></label
      >
      <span class="help">${t`or drop pictures and HTML5 zips anywhere: they are matched to placements by size`}</span>
    </p>
    ${missing.length > 0 && item.creatives.length > 0 ? html`<p class="desk-missing">${t`Missing: ${listed(missing)}`}</p>` : nothing}
  </section>`;
};

const creativeCard = (context: ItemRowContext, item: ItemPart, one: CreativePart, pointer: string): TemplateResult => {
  const { page, desk } = context;
  const { fields } = one;
  const [width, height] = [Number(fields['width'] ?? 300) || 300, Number(fields['height'] ?? 250) || 250];
  const preview = previewCreative(textOf(fields['format']), textOf(fields['content']), null, { width, height });
  const name = textOf(fields['name']) || t`Creative`;
  const fitting = placementsOf(page, item).filter((place) => width <= place.width && height <= place.height);
  const faults = desk.findings().filter((each) => each.of === 'fault' && each.pointer.startsWith(`${pointer}/`));
  const places =
    one.base && fields['follows_line_item'] !== true ? (fields['placement_ids'] as readonly string[]) : fitting.map(({ id }) => id);
  return html`<li class="desk-creative">
    <div class="desk-preview">
      ${preview.ok ? html`<ad-preview .ad=${{ width, height, markup: preview.markup, title: t`Preview of ${name}` }}></ad-preview>` : preview.reason}
    </div>
    <p><b title=${name}>${name}</b></p>
    <p class="help">
      ${fields['width'] == null ? t`any size` : `${width} × ${height}`}${places.length > 0 ? ` · ${places.join(', ')}` : nothing}
      ${one.base ? pill(textOf(fields['status']) as Status) : nothing}
    </p>
    ${termsOf({ rotation: item.fields['rotation'], roadblock: item.fields['roadblock'] }).map((term) => termField(context, item, one, term))}
    ${faults.map(({ detail }) => html`<p class="desk-fault">${detail}</p>`)}
    ${places.length === 0 && faults.length === 0 ? html`<p class="desk-fault">${t`no placement of this size`}</p>` : nothing}
    ${
      one.id === undefined
        ? button(
            '×',
            () => desk.changeCreatives(item.key, (all) => all.filter(({ key }) => key !== one.key)),
            'quiet icon-button',
            t`Remove ${name}`,
          )
        : nothing
    }
  </li>`;
};

const termField = ({ desk }: ItemRowContext, item: ItemPart, one: CreativePart, term: CreativeTerm): TemplateResult => {
  const label = labelOf('creatives', term);
  // What is no number is sent as typed: the service says what is wrong.
  const valueOf = (typed: string): unknown => (typed === '' ? null : term === 'companion_set' || !Number(typed) ? typed : Number(typed));
  const write = (typed: string): void =>
    desk.changeCreatives(item.key, (all) =>
      all.map((each) => (each.key === one.key ? { ...each, fields: { ...each.fields, [term]: valueOf(typed) } } : each)),
    );
  return html`<label class="desk-term"
    ><span class="help">${label}</span>${input({ value: textOf(one.fields[term]), onInput: write, maxLength: 64 })}</label
  >`;
};
